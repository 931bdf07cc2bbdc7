import { Effect } from "effect"
import { Dialect, type Reserved } from "../../dialect/Dialect.ts"
import { eachMember } from "../../dialect/search.ts"
import { must, testedBy, Violation } from "../../dialect/Violation.ts"
import type { Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { a, keyOf } from "./accounts.ts"
import { mustAnswer } from "./answers.ts"
import { settled } from "./eventually.ts"
import { ownFile, ownRecording, previewInput, type PreviewOverrides } from "./inputs.ts"
import { eachSlotHas } from "./slots.ts"
import { uploadAll } from "./uploadAll.ts"

/** The `shareId` of a reservation. */
export const shareIdOf = ({ answer, shareId }: Reserved): Effect.Effect<string, Violation> =>
  shareId === undefined
    ? new Violation({ expected: "The reservation of a preview answers a shareId.", came: answer.text })
    : Effect.succeed(shareId)

/** Finalizes a preview, whatever the answer. */
export const finalizePreview = (reserved: Pick<Reserved, "token" | "shareId">, as = a) =>
  Dialect.use((dialect) => dialect.finalizePreview(reserved, as))

/** Reads a preview's metadata, whatever the answer. */
export const readPreview = (shareId: string, as = a) => Dialect.use((dialect) => dialect.preview(shareId, as))

/** Reserves a preview. */
export const reservePreview = Effect.fnUntraced(function* (label: string, overrides?: PreviewOverrides, as = a) {
  const dialect = yield* Dialect
  const session = yield* Session
  const input = yield* previewInput(label, overrides)
  const answer = yield* dialect.reservePreview(input, as)
  yield* mustAnswer(answer, "The reservation of a preview")
  yield* session.observe("previews.reserve.status", answer.status)
  const reserved = yield* dialect.reserved(answer, input)
  yield* eachSlotHas(reserved, "objectKey", "previews.slots.object-key")
  yield* eachSlotHas(reserved, "contentType", "previews.slots.content-type")
  return { input, reserved }
}, testedBy("previews.reserve.answer"))

/** Finalizes a complete preview. `when` completes the sentence "The finalize of a complete preview …". */
export const mustFinalize = Effect.fnUntraced(function* (reserved: Reserved, when: string, as = a) {
  const answer = yield* finalizePreview(reserved, as)
  yield* mustAnswer(answer, `The finalize of a complete preview${when}`)
  return answer
})

const finalized = testedBy("previews.finalize.hosted-url")

/** Reserves, uploads and finalizes a preview. `row` is the answer to finalize. */
export const hostedPreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const dialect = yield* Dialect
  const session = yield* Session
  const as = keyOf(overrides.account ?? "a")
  const { input, reserved } = yield* reservePreview(label, overrides, as)
  yield* uploadAll(reserved)
  const answer = yield* finalized(mustFinalize(reserved, "", as))
  yield* session.observe("previews.finalize.status", answer.status)
  return { input, reserved, row: yield* dialect.row(answer), shareId: yield* shareIdOf(reserved) }
})

const isWord = (value: Json): boolean =>
  value === null || typeof value === "boolean" || (typeof value === "string" && /^[a-z][a-z _-]*$/i.test(value))

/**
 * The state of a preview as its metadata shows it once every write must be visible: the status code, which members there are,
 * and the values that are words. Times, numbers and URLs are left out because they may differ at each read.
 */
export const standing = Effect.fnUntraced(function* (shareId: string) {
  const { json, status } = yield* settled(readPreview(shareId))
  const said = [...eachMember(json)].map(({ path, value }) => [path, isWord(value) ? value : typeof value])
  return JSON.stringify([status, said])
})

/**
 * Requires that a preview whose finalize was refused reads as it did `before`, and not as it does once `finalize` has hosted
 * it. Where the metadata is the same in both states, nothing can be judged.
 */
export const mustStillWait = Effect.fnUntraced(function* <E, R>(
  shareId: string,
  before: string,
  finalize: Effect.Effect<unknown, E, R>
) {
  const after = yield* standing(shareId)
  if (after === before) return
  yield* finalize
  yield* must(
    after !== (yield* standing(shareId)),
    "A preview whose finalize was refused reads as it did before.",
    "It read as it does once its account has finalized it."
  )
})

/** Reserves a preview and uploads all of it. */
export const uploadedPreview = Effect.fnUntraced(function* (label: string, as = a) {
  const { reserved } = yield* reservePreview(label, {}, as)
  yield* uploadAll(reserved)
  return { reserved, shareId: yield* shareIdOf(reserved) }
})

/** The part of the config that a check needs to read an {@link existingPreview} and create nothing on the target. */
export const suppliedPreview = ["shareId"] as const

/**
 * A hosted preview to read: the one that the config supplies, or else a new one with a file and a recording. `own` are texts
 * that occur in its metadata and, as far as is known, nowhere else.
 */
export const existingPreview = Effect.fnUntraced(function* (label: string) {
  const { supplied } = (yield* Session).config
  if (supplied.shareId !== undefined) return { shareId: supplied.shareId, own: [] }
  const [file, recording] = [yield* ownFile(label), yield* ownRecording(label)]
  const { input, shareId } = yield* hostedPreview(label, { files: [file], recordings: [recording] })
  const { branch, commitSha } = input.fields
  return { shareId, own: [file.path, recording.name, branch, commitSha].filter((text) => typeof text === "string") }
})
