import { Effect } from "effect"
import type {
  BuildInput,
  Declared,
  DeclaredFile,
  DeclaredRecording,
  Fields,
  PreviewInput
} from "../../dialect/Dialect.ts"
import type { AccountName } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"

/** What differs from the usual input: fields that replace the usual ones, and objects beside the bundle (none). */
export interface BuildOverrides {
  /** Whose linked repository it is for: that of `a`. */
  readonly account?: AccountName
  readonly fields?: Fields
  readonly bundle?: Declared
  readonly files?: ReadonlyArray<DeclaredFile>
}
export interface PreviewOverrides extends BuildOverrides {
  readonly recordings?: ReadonlyArray<DeclaredRecording>
}

export const bundleSizeBytes = 512
export const fileSizeBytes = 64
export const recordingSizeBytes = 128

/** A bundle; the same label gives the same bytes. */
export const bundle = Effect.fnUntraced(function* (label: string, sizeBytes = bundleSizeBytes) {
  const session = yield* Session
  return { content: session.content(`${label}.bundle`, sizeBytes), contentType: "text/javascript" }
})

const fileKinds = [
  { path: "assets/style.css", contentType: "text/css" },
  { path: "assets/data.json", contentType: "application/json" },
  { path: "assets/logo.svg", contentType: "image/svg+xml" }
]

/** Three additional files, each with a content type of its own. */
export const threeFiles = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return fileKinds.map(({ contentType, path }): DeclaredFile => {
    return { path, contentType, content: session.content(`${label}.${path}`, fileSizeBytes) }
  })
})

const recordingKinds = [
  { name: "screen.webm", kind: "video", contentType: "video/webm" },
  { name: "first.png", kind: "screenshot", contentType: "image/png" },
  { name: "device.log", kind: "log", contentType: "text/plain" }
]

/** Three recording artifacts, each with a content type of its own that no bundle and no file has. */
export const threeRecordings = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return recordingKinds.map(({ contentType, kind, name }): DeclaredRecording => {
    return { name, kind, contentType, content: session.content(`${label}.${name}`, recordingSizeBytes) }
  })
})

/** A branch name that nobody else uses. */
export const branch = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return `conformance-${session.unique(`${label}.branch`)}`
})

/** A commit hash of 40 hexadecimal digits that nobody else uses. */
export const commitSha = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return [1, 2, 3]
    .map((part) => session.unique(`${label}.commit.${part}`))
    .join("")
    .slice(0, 40)
})

/** Every field that says what is uploaded, since the interface doesn't show which are required. */
const usualFields = Effect.fnUntraced(function* (label: string, account: AccountName) {
  const { config } = yield* Session
  return {
    ...config.accounts[account].linked,
    branch: yield* branch(label),
    platform: "ios",
    commitSha: yield* commitSha(label),
    bundleOrigin: "http://localhost:8081",
    entry: "index.js",
    isTransformed: true,
    deviceSpec: { width: 390, height: 844 }
  }
})

/**
 * A build that nobody has reserved before: of platform `ios`, on a branch and a commit of its own, with a bundle and
 * no files.
 */
export const buildInput = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const { account = "a", fields, files = [] } = overrides
  const input: BuildInput = {
    bundle: overrides.bundle ?? (yield* bundle(label)),
    files,
    fields: { ...(yield* usualFields(label, account)), ...fields }
  }
  return input
})

/** A preview of platform `ios` from a branch and a commit of its own, with a bundle, no files and no recordings. */
export const previewInput = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const { recordings = [], ...rest } = overrides
  const input: PreviewInput = { ...(yield* buildInput(label, rest)), recordings }
  return input
})

/** The fields that make a build the build that it is. */
export const identityOf = ({ fields }: BuildInput): Fields => {
  const { branch, commitSha, owner, platform, repo } = fields
  return { branch, commitSha, owner, platform, repo }
}
