import { Effect } from "effect"
import {
  Dialect,
  type DeclaredFile,
  type DeclaredRecording,
  type PreviewInput,
  type Reserved,
  type Row
} from "../../dialect/Dialect.ts"
import { eachMember, isObject } from "../../dialect/search.ts"
import { placeholdersOf } from "../../dialect/template.ts"
import { must, testedBy, Violation } from "../../dialect/Violation.ts"
import type { Answer, Credential, Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { a, keyOf } from "./accounts.ts"
import { answered2xx, mustAnswer } from "./answers.ts"
import { eventually, settled } from "./eventually.ts"
import { ownDevice, ownFile, ownRecording, previewInput, type PreviewOverrides } from "./inputs.ts"
import { mentions, type Mark } from "./mentions.ts"
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

const finalized = testedBy("previews.finalize.hosted-url")

/** What the finalize of a complete preview answers, with the hosted URL. */
export const hostedRow = Effect.fnUntraced(function* (answer: Answer) {
  const dialect = yield* Dialect
  const row = yield* dialect.row(answer)
  const expected = "Finalize returns the hosted URL, as `url` or where `answers.previewUrl` of the config says."
  yield* must(row.url !== undefined, expected, answer.text)
  return row
}, finalized)

/** Finalizes a complete preview. `when` completes the sentence "The finalize of a complete preview …". */
export const mustFinalize = Effect.fnUntraced(function* (reserved: Reserved, when: string, as = a) {
  const answer = yield* finalizePreview(reserved, as)
  yield* mustAnswer(answer, `The finalize of a complete preview${when}`)
  return yield* hostedRow(answer)
})

/** A hosted preview. `row` is the answer to finalize. */
interface Hosted {
  readonly input: PreviewInput
  readonly as: Credential
  readonly row: Row
  readonly shareId: string
}

/** Reserves, uploads and finalizes a preview. */
export const hostedPreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const session = yield* Session
  const as = keyOf(overrides.account ?? "a")
  const fields = { deviceSpec: yield* ownDevice(label), ...overrides.fields }
  const { input, reserved } = yield* reservePreview(label, { ...overrides, fields }, as)
  yield* uploadAll(reserved)
  const row = yield* finalized(mustFinalize(reserved, "", as))
  yield* session.observe("previews.finalize.status", row.answer.status)
  return { input, as, reserved, row, shareId: yield* shareIdOf(reserved) }
})

/** Something of the metadata: values of which it has one, because the interface doesn't show its shape. */
interface Group {
  readonly check: string
  readonly what: string
  readonly marks: ReadonlyArray<Mark>
}

/** The fields of a reservation that a group of the metadata shows. */
export const shownIn = { device: ["deviceSpec", "width", "height"], git: ["branch", "commitSha"] } as const

/** Whether the config has a place for any of these values: without one, the target never receives them. */
export const isSent = Effect.fnUntraced(function* (places: ReadonlyArray<string>) {
  const available = placeholdersOf((yield* Session).config.bindings.bodies.previewReserve)
  return places.some((place) => available.includes(place))
})

const fileMarks = ({ content, contentType, path }: DeclaredFile): ReadonlyArray<Mark> => [
  path.split("/").at(-1) ?? path,
  content.sha256,
  contentType,
  content.bytes.byteLength
]

const recordingMarks = ({ content, contentType, name }: DeclaredRecording): ReadonlyArray<Mark> => [
  name,
  content.sha256,
  contentType,
  content.bytes.byteLength
]

/** Each file and each recording by a value that no other has. A MUST wants only something of one of them. */
export const eachObject = ({ files, recordings }: PreviewInput): ReadonlyArray<Group> => [
  ...files.map((file) => ({
    check: "every-file",
    what: `the declared file ${file.path}`,
    marks: fileMarks(file).slice(0, 2)
  })),
  ...recordings.map((recording) => ({
    check: "every-recording",
    what: `the declared recording ${recording.name}`,
    marks: recordingMarks(recording).slice(0, 2)
  }))
]

/** What was declared of a preview, as its metadata has it. */
const declaredGroups = Effect.fnUntraced(function* ({ fields, files, recordings }: PreviewInput) {
  const { branch, commitSha, deviceSpec, owner, repo } = fields
  const device = isObject(deviceSpec) ? Object.values(deviceSpec).filter((size) => typeof size === "number") : []
  const shortSha = typeof commitSha === "string" ? commitSha.slice(0, 7) : undefined
  // Without a repository, a target may have no Git provenance.
  const hasRepository = owner !== undefined && repo !== undefined
  const git = [branch, shortSha].filter((text) => typeof text === "string")
  const groups: ReadonlyArray<Group> = [
    ...((yield* isSent(shownIn.device)) ? [{ check: "device", what: "device details", marks: device }] : []),
    ...(hasRepository && (yield* isSent(shownIn.git))
      ? [{ check: "git", what: "the Git provenance", marks: git }]
      : []),
    { check: "files", what: "something of a declared file", marks: files.flatMap(fileMarks) },
    { check: "recordings", what: "something of a declared recording", marks: recordings.flatMap(recordingMarks) }
  ]
  return groups.filter(({ marks }) => marks.length > 0)
})

/** The hosted URL without the part that may be signed again for each answer. */
const place = ({ url }: Row): string | undefined => url?.split(/[?#]/)[0]

/**
 * Reads the metadata of a hosted preview, which has its url and everything that was declared. `own` are groups that the
 * check requires besides. Unless `untilSettled`, it is read until it is so.
 */
export const readHosted = Effect.fnUntraced(function* (
  { as, input, row, shareId }: Hosted,
  own: ReadonlyArray<Group> = [],
  untilSettled = false
) {
  const dialect = yield* Dialect
  const groups = [...own, ...(yield* declaredGroups(input))]
  const isWhole = (answer: Answer) => answered2xx(answer) && groups.every(({ marks }) => mentions(answer, marks))
  const read = readPreview(shareId, as)
  const answer = yield* eventually(read, (answer) => !untilSettled && isWhole(answer))
  yield* mustAnswer(answer, "The read of a hosted preview by its account")
  for (const { check, marks, what } of groups) {
    const expected = `The metadata has ${what}, one of: ${marks.join(", ")}.`
    yield* testedBy(`previews.metadata.${check}`)(must(mentions(answer, marks), expected, answer.text))
  }
  const first = yield* dialect.row(answer)
  yield* must(first.url !== undefined, "The metadata has the hosted url.", answer.text)
  if (place(first) === place(row)) return answer
  // A target whose url differs at each read may answer another one than finalize did.
  const again = yield* dialect.row(yield* eventually(read, answered2xx))
  const expected = `The metadata has the hosted url ${row.url} that finalize returned.`
  yield* must(place(again) !== place(first), expected, `It had ${first.url}.`)
  return answer
}, testedBy("previews.metadata.url"))

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
export const uploadedPreview = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}, as = a) {
  const { input, reserved } = yield* reservePreview(label, overrides, as)
  yield* uploadAll(reserved)
  return { input, reserved, shareId: yield* shareIdOf(reserved) }
})

/** The part of the config that a check needs to read an {@link existingPreview} and create nothing on the target. */
export const suppliedPreview = ["shareId"] as const

/**
 * A hosted preview to read: the one that the config supplies, or else a new one with a file and a recording. `own` are texts
 * that occur in its metadata and, as far as is known, nowhere else. `read` is its metadata once every write must be visible.
 */
export const existingPreview = Effect.fnUntraced(function* (label: string) {
  const { supplied } = (yield* Session).config
  if (supplied.shareId !== undefined) {
    return { shareId: supplied.shareId, own: [], read: settled(readPreview(supplied.shareId)) }
  }
  const [file, recording] = [yield* ownFile(label), yield* ownRecording(label)]
  const hosted = yield* hostedPreview(label, { files: [file], recordings: [recording] })
  const { branch, commitSha } = hosted.input.fields
  const own = [file.path, recording.name, branch, commitSha].filter((text) => typeof text === "string")
  return { shareId: hosted.shareId, own, read: readHosted(hosted, [], true) }
})
