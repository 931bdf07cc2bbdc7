import { Effect } from "effect"
import { Dialect, type BuildInput, type Reserved } from "../../dialect/Dialect.ts"
import { isAbsoluteUrl } from "../../dialect/search.ts"
import { must, testedBy } from "../../dialect/Violation.ts"
import type { Answer, Credential } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { a, keyOf } from "./accounts.ts"
import { mustAnswer } from "./answers.ts"
import { idOf, mustBeWhole, mustShow, queryOf, readLatest, visible } from "./builds.ts"
import { settled } from "./eventually.ts"
import { buildInput, bundle, identityOf, type BuildOverrides } from "./inputs.ts"
import { eachSlotHas } from "./slots.ts"
import { uploadAll } from "./uploadAll.ts"

/** Sends a reservation, whatever the answer. */
export const sendReservation = (input: BuildInput, as: Credential) =>
  Dialect.use((dialect) => dialect.reserveBuild(input, as))

const created = testedBy("builds.finalize.created")
const withUrl = testedBy("builds.reserve.url")

const reserve = Effect.fnUntraced(function* (input: BuildInput, as: Credential, situation: string) {
  const dialect = yield* Dialect
  const session = yield* Session
  const answer = yield* sendReservation(input, as)
  yield* mustAnswer(answer, "The reservation of a build")
  yield* session.observe(`builds.${situation}.status`, answer.status)
  const reserved = yield* dialect.reserved(answer, input)
  yield* eachSlotHas(reserved, "contentType", "builds.slots.content-type")
  yield* must(reserved.url !== undefined, "The reservation returns the url of the build.", "It had no url.")
  return { input, as, reserved }
}, withUrl)

/** Reserves a build for the first time. */
export const reserveBuild = Effect.fnUntraced(function* (label: string, overrides?: BuildOverrides, as = a) {
  return yield* reserve(yield* buildInput(label, overrides), as, "reserve")
})

/** Reserves the build of an earlier reservation again, with another bundle. */
export const reserveBuildAgain = Effect.fnUntraced(function* (
  label: string,
  earlier: { readonly input: BuildInput; readonly as: Credential }
) {
  const input = yield* buildInput(label, { fields: identityOf(earlier.input), bundle: yield* bundle(label) })
  return yield* reserve(input, earlier.as, "reserve-again")
})

/** The whole row that the finalize of a complete upload answers. */
export const readyRow = Effect.fnUntraced(function* (answer: Answer) {
  const dialect = yield* Dialect
  yield* must(answer.status === 201, "Finalize returns 201.", `It returned ${answer.status}.`)
  const row = yield* dialect.row(answer)
  yield* mustBeWhole(row, "builds.finalize.preview-url", "builds.finalize.status")
  yield* withUrl(must(row.url !== undefined, "The ready build has its url.", "It had none."))
  const urls = [row.url, row.previewUrl].filter((url) => url !== undefined)
  const absolute = must(urls.every(isAbsoluteUrl), "The url and the previewUrl are absolute.", urls)
  yield* testedBy("builds.finalize.absolute-urls")(absolute)
  return row
}, created)

/** Finalizes a build whose upload is complete, and answers its row. */
export const finalizeBuild = Effect.fnUntraced(function* ({ token }: Reserved, as = a) {
  const answer = yield* Dialect.use((dialect) => dialect.finalizeBuild(token, as))
  yield* mustAnswer(answer, "The finalize of a complete upload")
  return yield* readyRow(answer)
}, created)

/** Reserves, uploads and finalizes a build. `row` is the answer to finalize; its url is that of the reservation. */
export const readyBuild = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const reservation = yield* reserveBuild(label, overrides, keyOf(overrides.account ?? "a"))
  yield* uploadAll(reservation.reserved)
  const row = yield* finalizeBuild(reservation.reserved, reservation.as)
  const { url } = reservation.reserved
  yield* withUrl(must(row.url === url, `The ready build has the reserved url ${url ?? ""}.`, row.url))
  const session = yield* Session
  if (typeof row.status === "string") yield* session.observe("builds.ready.status-value", row.status)
  return { ...reservation, row, url }
})

/** Reserves and uploads a build. `mustWait` requires that it still reads as it did before any finalize. */
export const uploadedBuild = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const session = yield* Session
  const reservation = yield* reserveBuild(label, overrides)
  yield* uploadAll(reservation.reserved)
  const latest = readLatest(queryOf(reservation.input))
  const before = yield* settled(visible(latest))
  yield* session.observe("builds.latest.before-finalize", { found: before.found, hasPreviewUrl: before.hasPreviewUrl })
  return { ...reservation, mustWait: mustShow(latest, before, "A refused finalize leaves the build as it was.") }
})

/** The part of the config that a check needs to read an {@link existingBuild} and create nothing on the target. */
export const suppliedBuild = ["buildId", "buildBranch", "buildPlatform"] as const

/** A ready build to read: the one that the config supplies, or else a new one. */
export const existingBuild = Effect.fnUntraced(function* (label: string) {
  const { accounts, supplied } = (yield* Session).config
  const { buildBranch: branch, buildId, buildPlatform: platform } = supplied
  if (buildId !== undefined && branch !== undefined && platform !== undefined) {
    return { query: { ...accounts.a.linked, branch, platform }, id: Effect.succeed(buildId), isSupplied: true }
  }
  const { input, row } = yield* readyBuild(label)
  return { query: queryOf(input), id: idOf(row), isSupplied: false }
})
