import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { DeclaredFile, DeclaredRecording, Reserved } from "../../dialect/Dialect.ts"
import { places } from "../../dialect/search.ts"
import type { Credential, Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { must, Violation } from "../../dialect/Violation.ts"
import { mustAnswer } from "./answers.ts"
import { a } from "./credentials.ts"
import { settled } from "./eventually.ts"
import { fileSizeBytes, recordingSizeBytes } from "./inputs.ts"
import type { PreviewOverrides } from "./inputs.ts"
import { readyPreview } from "./readyPreview.ts"
import { reservePreview } from "./reservePreview.ts"
import { uploadAll } from "./uploadAll.ts"

/** A file whose path nobody else has. */
export const ownFile = Effect.fnUntraced(function* (label: string) {
  const { content, unique } = yield* Session
  const file: DeclaredFile = {
    path: `assets/file-${unique(`${label}.file`)}.css`,
    contentType: "text/css",
    content: content(`${label}.file`, fileSizeBytes)
  }
  return file
})

/** A recording artifact whose name nobody else has. */
export const ownRecording = Effect.fnUntraced(function* (label: string) {
  const { content, unique } = yield* Session
  const recording: DeclaredRecording = {
    name: `recording-${unique(`${label}.recording`)}.webm`,
    kind: "video",
    contentType: "video/webm",
    content: content(`${label}.recording`, recordingSizeBytes)
  }
  return recording
})

/** The `shareId` of a reservation. */
export const shareIdOf = ({ answer, shareId }: Reserved): Effect.Effect<string, Violation> =>
  shareId === undefined
    ? new Violation({ expected: "The reservation of a preview answers a shareId.", came: answer.text })
    : Effect.succeed(shareId)

/** Finalizes a preview, whatever comes of it. */
export const finalizePreview = (reserved: Reserved, as: Credential = a) =>
  Dialect.use((dialect) => dialect.finalizePreview(reserved, as))

/** Reads a preview's metadata, whatever comes of it. */
export const readPreview = (shareId: string, as: Credential = a) =>
  Dialect.use((dialect) => dialect.preview(shareId, as))

/** Reserves a preview and uploads all of it. */
export const uploadedPreview = Effect.fnUntraced(function* (
  label: string,
  overrides?: PreviewOverrides,
  as?: Credential
) {
  const { input, reserved } = yield* reservePreview(label, overrides, as)
  yield* uploadAll(reserved)
  return { input, reserved, shareId: yield* shareIdOf(reserved) }
})

/** A preview that is hosted. */
export const hostedPreview = Effect.fnUntraced(function* (label: string, overrides?: PreviewOverrides) {
  const { input, reserved, row } = yield* readyPreview(label, overrides)
  return { input, reserved, row, shareId: yield* shareIdOf(reserved) }
})

const isWord = (value: Json): boolean =>
  value === null || typeof value === "boolean" || (typeof value === "string" && /^[a-z][a-z _-]*$/i.test(value))

/**
 * How a preview stands once every write is seen, as far as its metadata shows it: the status code, what is there, and what
 * is said of it in words. What may be another at each read, such as times, numbers and URLs, is left out.
 */
export const standing = Effect.fnUntraced(function* (shareId: string) {
  const { json, status } = yield* settled(readPreview(shareId))
  const said = [...places(json)].map(({ path, value }) => [path, isWord(value) ? value : typeof value])
  return JSON.stringify([status, said])
})

/**
 * A preview that nothing may have hosted stands as it stood before, and not as it does once `finalize` has hosted it. Where
 * the metadata says the same of both, nothing shows, and nothing is judged.
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

/** Finalizes a complete preview with a key of its account. */
export const mustFinalize = Effect.fnUntraced(function* (reserved: Reserved, when: string, as?: Credential) {
  yield* mustAnswer(yield* finalizePreview(reserved, as), `The finalize of a complete preview ${when}`)
})
