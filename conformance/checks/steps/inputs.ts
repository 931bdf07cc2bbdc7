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

/** What differs from the usual input. `fields` replace the usual ones; without `files` and `recordings` there are none. */
export interface PreviewOverrides {
  /** Whose linked repository it is for; `a` by default. */
  readonly account?: AccountName
  readonly fields?: Fields
  readonly bundle?: Declared
  readonly files?: ReadonlyArray<DeclaredFile>
  readonly recordings?: ReadonlyArray<DeclaredRecording>
}
export type BuildOverrides = Omit<PreviewOverrides, "recordings">

export const bundleSizeBytes = 512
export const fileSizeBytes = 64
export const recordingSizeBytes = 128

/** A bundle; the same label gives the same bytes. */
export const bundle = Effect.fnUntraced(function* (label: string, sizeBytes = bundleSizeBytes) {
  const session = yield* Session
  const contentType = "text/javascript"
  return { content: session.content(`${label}.bundle`, sizeBytes, contentType), contentType }
})

const fileKinds = [
  { path: "assets/style.css", contentType: "text/css" },
  { path: "assets/data.json", contentType: "application/json" },
  { path: "assets/logo.svg", contentType: "image/svg+xml" },
  { path: "assets/print.css", contentType: "text/css" },
  { path: "README.md", contentType: "text/markdown; charset=utf-8" }
]

/** Five files, two of one content type, and one whose content type has a parameter. */
export const fiveFiles = Effect.fnUntraced(function* (label: string) {
  const { content } = yield* Session
  return fileKinds.map((kind): DeclaredFile => ({
    ...kind,
    content: content(`${label}.${kind.path}`, fileSizeBytes, kind.contentType)
  }))
})

const recordingKinds = [
  { name: "screen.webm", kind: "video", contentType: "video/webm" },
  { name: "first.png", kind: "screenshot", contentType: "image/png" },
  { name: "device.log", kind: "log", contentType: "text/plain" }
]

/** Three recordings, each with a content type of its own that no bundle and no file has. */
export const threeRecordings = Effect.fnUntraced(function* (label: string) {
  const { content } = yield* Session
  return recordingKinds.map((kind): DeclaredRecording => ({
    ...kind,
    content: content(`${label}.${kind.name}`, recordingSizeBytes, kind.contentType)
  }))
})

/** A file with a unique path. */
export const ownFile = Effect.fnUntraced(function* (label: string) {
  const { content, unique } = yield* Session
  return {
    path: `assets/file-${unique(`${label}.file`)}.css`,
    contentType: "text/css",
    content: content(`${label}.file`, fileSizeBytes, "text/css")
  } satisfies DeclaredFile
})

/** A recording with a unique name. */
export const ownRecording = Effect.fnUntraced(function* (label: string) {
  const { content, unique } = yield* Session
  return {
    name: `recording-${unique(`${label}.recording`)}.webm`,
    kind: "video",
    contentType: "video/webm",
    content: content(`${label}.recording`, recordingSizeBytes, "video/webm")
  } satisfies DeclaredRecording
})

/** Device dimensions that occur in no answer by chance. */
export const ownDevice = Effect.fnUntraced(function* (label: string) {
  const { unique } = yield* Session
  const size = (side: string) => 3000 + (Number.parseInt(unique(`${label}.${side}`).slice(0, 6), 16) % 6000)
  return { width: size("width"), height: size("height") }
})

/** A unique branch name. */
export const branch = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return `conformance-${session.unique(`${label}.branch`)}`
})

/** A unique commit hash of 40 hexadecimal digits. */
export const commitSha = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return [1, 2, 3]
    .map((part) => session.unique(`${label}.commit.${part}`))
    .join("")
    .slice(0, 40)
})

/** Values of fields that every target accepts. Which of them a preview has follows from the run, the check and the label. */
const variants = {
  platform: ["ios", "android"],
  isTransformed: [true, false],
  deviceSpec: [
    { width: 390, height: 844 },
    { width: 1024, height: 768 },
    { width: 1, height: 1 }
  ]
} as const

/** Three files, and a recording where there may be one; a branch, a platform and a bundle that the usual upload hasn't. */
export const unusual = Effect.fnUntraced(function* (label: string) {
  const name = `${yield* branch(label)}/a-name-of-a-branch-that-is-long`
  return {
    fields: { branch: name, platform: "android", isTransformed: false },
    files: (yield* fiveFiles(label)).slice(0, 3),
    recordings: (yield* threeRecordings(label)).slice(0, 1)
  } satisfies PreviewOverrides
})

/** The requests and the bytes that an unusual upload has beyond the usual one. */
export const unusualCost = {
  builds: { requests: 3, bytes: 3 * fileSizeBytes },
  previews: { requests: 4, bytes: 3 * fileSizeBytes + recordingSizeBytes }
} as const

/** One of some values, drawn for this label. */
export const drawn = Effect.fnUntraced(function* <Values extends readonly [unknown, ...ReadonlyArray<unknown>]>(
  label: string,
  values: Values
): Effect.fn.Return<Values[number], never, Session> {
  const { unique } = yield* Session
  return values[Number.parseInt(unique(label).slice(0, 8), 16) % values.length] ?? values[0]
})

/**
 * A preview that nobody has reserved before, with a branch and a commit of its own and a bundle. It has every field that
 * says what is uploaded, because the interface doesn't say which are required.
 */
export const previewInput = Effect.fnUntraced(function* (label: string, overrides: PreviewOverrides = {}) {
  const { account = "a", fields, files = [], recordings = [] } = overrides
  const { config } = yield* Session
  const input: PreviewInput = {
    bundle: overrides.bundle ?? (yield* bundle(label)),
    files,
    recordings,
    fields: {
      ...config.accounts[account].linked,
      branch: yield* branch(label),
      platform: yield* drawn(`${label}.platform`, variants.platform),
      commitSha: yield* commitSha(label),
      bundleOrigin: "http://localhost:8081",
      entry: "index.js",
      isTransformed: yield* drawn(`${label}.isTransformed`, variants.isTransformed),
      deviceSpec: yield* drawn(`${label}.deviceSpec`, variants.deviceSpec),
      ...fields
    }
  }
  return input
})

/** The same as a build, which has no recordings. It is for iOS: the platform is a part of its identity. */
export const buildInput = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const fields = { platform: "ios", isTransformed: true, ...overrides.fields }
  const { recordings: _, ...input } = yield* previewInput(label, { ...overrides, fields })
  return input
})

/** The fields by which two uploads are the same build. */
export const identityOf = ({ fields }: BuildInput): Fields => {
  const { branch, commitSha, owner, platform, repo } = fields
  return { branch, commitSha, owner, platform, repo }
}
