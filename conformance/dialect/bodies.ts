/** The bodies of requests, by the interface and the bindings. */
import { Effect } from "effect"
import type { Bindings, Config } from "../config/Config.ts"
import type { Credential, Json } from "../session/Exchange.ts"
import type { Session } from "../session/Session.ts"
import type { BuildInput, Declared, DeclaredFile, DeclaredRecording, Fields, PreviewInput } from "./Dialect.ts"
import { BuildFinalization, BuildReservation, RunRegistration, sendable } from "./requestBodies.ts"
import { fillObject, placeholdersOf, type Values } from "./template.ts"
import { isObject } from "./search.ts"

type Body = Readonly<Record<string, Json>>

const withoutMissing = (fields: Fields): Body => {
  const body: Record<string, Json> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body[name] = value
  return body
}

/** The linked repository of the account that asks, or that of `a` where none asks. */
export const repositoryOf = (config: Config, as: Credential) =>
  config.accounts[typeof as === "object" ? as.account : "a"].linked

const about = ({ content, contentType }: Declared): Values => ({
  sizeBytes: content.bytes.byteLength,
  contentType,
  contentHash: content.sha256
})

const fileItem = (template: Body, file: DeclaredFile): Body => fillObject(template, { ...about(file), path: file.path })

const recordingItem = ({ bodies }: Bindings, recording: DeclaredRecording): Body =>
  fillObject(bodies.recording, { ...about(recording), name: recording.name, kind: recording.kind })

/** A branch and a commit that only this check uses. */
export const ownBranch = ({ unique }: Session["Service"]): string => `conformance/${unique("branch")}`
export const ownCommit = ({ unique }: Session["Service"]): string =>
  ["commit 1", "commit 2", "commit 3"].map(unique).join("").slice(0, 40)

/** What every upload declares, by the names in the interface. */
const usual = (session: Session["Service"], input: BuildInput | PreviewInput, as: Credential, file: Body) => {
  const { bundle, files } = input
  return {
    ...repositoryOf(session.config, as),
    branch: ownBranch(session),
    platform: "ios",
    commitSha: ownCommit(session),
    contentHash: bundle.content.sha256,
    bundleSizeBytes: bundle.content.bytes.byteLength,
    bundleContentType: bundle.contentType,
    bundleOrigin: "https://metro.example/index.bundle",
    entry: "index.js",
    isTransformed: false,
    deviceSpec: { width: 390, height: 844 },
    files: files.map((one) => fileItem(file, one))
  } satisfies Values
}

/** @see docs/interface.md#4.1 */
export const buildReservation = (session: Session["Service"], input: BuildInput, as: Credential) => {
  const { bodies } = session.config.bindings
  const fields: Fields = { ...usual(session, input, as, bodies.file), ...input.fields }
  const more = fillObject(bodies.buildReserve, fields)
  return sendable(BuildReservation, withoutMissing({ ...more, ...fields }), { ...more, ...input.fields })
}

/** @see docs/interface.md#4.3 */
export const buildFinalization = (token: string) => sendable(BuildFinalization, { operation: "finalize", token })

/** Removes values without a place in the template, except for fields that the bindings don't know at all. */
const placed = (template: Body, values: Values, own: Fields, known: ReadonlyArray<string>): Body => {
  const places = placeholdersOf(template)
  const others = Object.entries(own).filter(([name]) => !places.includes(name) && !known.includes(name))
  return { ...fillObject(template, values), ...withoutMissing(Object.fromEntries(others)) }
}

/**
 * The values that a template of a preview reservation may have places for. `billingKind` is sent even without a place.
 */
export const previewPlaceholders = [
  "platform",
  "contentHash",
  "bundleSizeBytes",
  "bundleContentType",
  "bundleOrigin",
  "entry",
  "isTransformed",
  "deviceSpec",
  "width",
  "height",
  "files",
  "recordings",
  "owner",
  "repo",
  "branch",
  "commitSha",
  "pr"
]

/** @see docs/interface.md#4.6 */
export const previewReservation = (session: Session["Service"], input: PreviewInput, as: Credential) =>
  Effect.sync(() => {
    const { bindings } = session.config
    const common = usual(session, input, as, bindings.bodies.previewFile ?? bindings.bodies.file)
    const device = input.fields.deviceSpec ?? common.deviceSpec
    const values: Values = {
      ...common,
      ...(isObject(device) ? { width: device.width, height: device.height } : {}),
      pr: 7,
      recordings: input.recordings.map((recording) => recordingItem(bindings, recording)),
      ...input.fields
    }
    return placed(bindings.bodies.previewReserve, values, input.fields, previewPlaceholders)
  })

/** @see docs/interface.md#4.7 */
export const previewFinalization = (
  { config }: Session["Service"],
  reserved: { readonly token: string; readonly shareId: string | undefined }
): Body => fillObject(config.bindings.bodies.previewFinalize, { ...reserved })

/** @see docs/interface.md#4.9 */
export const runRegistration = (session: Session["Service"], own: Fields, as: Credential) => {
  const fields: Fields = {
    kind: "maestro",
    name: `Conformance ${session.unique("run")}`,
    status: "passed",
    ...repositoryOf(session.config, as),
    branch: ownBranch(session),
    commitSha: ownCommit(session),
    stepCount: 3,
    durationMs: 1200,
    ...own
  }
  const { source: _source, pr: _pr, ...shown } = fields
  const more = fillObject(session.config.bindings.bodies.runRegister, fields)
  return sendable(RunRegistration, withoutMissing({ ...shown, ...more }), { ...more, ...own })
}
