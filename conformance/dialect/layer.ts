import { isList, type Credential, type Json, type Request } from "../session/Exchange.ts"
import {
  Dialect,
  fillObject,
  isObject,
  placeholdersOf,
  type BuildInput,
  type Declared,
  type DeclaredFile,
  type DeclaredRecording,
  type Fields,
  type PreviewInput,
  type Values
} from "./Dialect.ts"
import { Effect, Layer, Schema } from "effect"
import type { Bindings, Config } from "../config/Config.ts"
import { Session, SuiteFault } from "../session/Session.ts"
import * as answers from "./responses.ts"

/** The bodies of requests, by the interface and the bindings. */

type Body = Readonly<Record<string, Json>>

const withoutMissing = (fields: Fields): Body => {
  const body: Record<string, Json> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body[name] = value
  return body
}

/** The linked repository of the account that asks, or that of `a` where none asks. */
const repositoryOf = (config: Config, as: Credential) =>
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
const ownBranch = ({ unique }: Session["Service"]): string => `main-${unique("branch")}`
const ownCommit = ({ unique }: Session["Service"]): string =>
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
const buildReservation = (session: Session["Service"], input: BuildInput, as: Credential) => {
  const { bodies } = session.config.bindings
  const fields: Fields = { ...usual(session, input, as, bodies.file), ...input.fields }
  const more = fillObject(bodies.buildReserve, fields)
  return sendable(BuildReservation, withoutMissing({ ...more, ...fields }), { ...more, ...input.fields })
}

/** @see docs/interface.md#4.3 */
const buildFinalization = (token: string) => sendable(BuildFinalization, { operation: "finalize", token })

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
const previewReservation = (session: Session["Service"], input: PreviewInput, as: Credential) =>
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
const previewFinalization = (
  { config }: Session["Service"],
  reserved: { readonly token: string; readonly shareId: string | undefined }
): Body => fillObject(config.bindings.bodies.previewFinalize, { ...reserved })

/** @see docs/interface.md#4.9 */
const runRegistration = (session: Session["Service"], own: Fields, as: Credential) => {
  const fields: Fields = {
    kind: "maestro",
    name: `Smoke ${session.unique("run")}`,
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

// The bodies in the interface as schemas. The suite's requests must fit them, except in what a check changes on
// purpose.

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const CommitSha = Schema.String.check(Schema.isPattern(/^[0-9a-fA-F]{40}$/))

/** @see docs/interface.md#2.1 */
export const BuildReservation = Schema.Struct({
  owner: Schema.NonEmptyString,
  repo: Schema.NonEmptyString,
  branch: Schema.NonEmptyString,
  platform: Schema.Literals(["ios", "android"]),
  commitSha: CommitSha,
  contentHash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
  bundleSizeBytes: Count,
  bundleContentType: Schema.NonEmptyString,
  bundleOrigin: Schema.String,
  entry: Schema.NonEmptyString,
  isTransformed: Schema.Boolean,
  deviceSpec: Schema.Struct({ width: Schema.Finite, height: Schema.Finite }),
  files: Schema.Array(Schema.Json)
})

/** @see docs/interface.md#2.3 */
const BuildFinalization = Schema.Struct({
  operation: Schema.Literal("finalize"),
  token: Schema.String
})

/** @see docs/interface.md#2.7 */
const RunRegistration = Schema.Struct({
  kind: Schema.Literals(["maestro", "detox"]),
  name: Schema.NonEmptyString,
  status: Schema.String,
  owner: Schema.NonEmptyString,
  repo: Schema.NonEmptyString,
  branch: Schema.NonEmptyString,
  commitSha: CommitSha,
  previewShareId: Schema.NonEmptyString,
  stepCount: Count,
  durationMs: Count
})

/** The body, when everything in it that the check didn't choose fits the schema; otherwise a {@link SuiteFault}. */
const sendable = <Fields_ extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields_> & { readonly DecodingServices: never },
  body: Readonly<Record<string, Json>>,
  chosen: Fields = {}
): Effect.Effect<Readonly<Record<string, Json>>> => {
  for (const [name, field] of Object.entries(schema.fields)) {
    if (Object.hasOwn(chosen, name)) continue
    if (!Schema.is(field)(body[name])) {
      const value = JSON.stringify(body[name])
      return Effect.die(
        new SuiteFault({ reason: `The suite would send ${name} as ${value}, which the interface doesn't have` })
      )
    }
  }
  return Effect.succeed(body)
}

/** Encodes a text as a part of a path or a query. A lone surrogate can't be encoded. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** A list is a parameter for each of its items. */
const queryOf = (fields: Fields): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (isList(value) ? value : [value]).map((one) => [name, one] as const))
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encoded(name)}=${encoded(typeof value === "string" ? value : JSON.stringify(value))}`)
    .join("&")

const asQuery = (fields: Fields): string => (Object.keys(fields).length === 0 ? "" : `?${queryOf(fields)}`)

/** The dialect of the target that the session meets. @see docs/interface.md#4 */
export const layer = Layer.effect(
  Dialect,
  Effect.gen(function* () {
    const session = yield* Session
    const { bindings, url } = session.config

    const ask = (method: string, path: string, as: Credential, more: Partial<Request> = {}) =>
      session.exchange({ method, url: `${url}/api/v1${path}`, as, ...more })
    const get = (path: string, as: Credential) => ask("GET", path, as)
    const post = (path: string, as: Credential, json: Json) => ask("POST", path, as, { json })
    /** The same, and what it created is in the ledger. */
    const creating = (
      what: Parameters<typeof answers.created>[0],
      path: string,
      as: Credential,
      body: Effect.Effect<Json>
    ) =>
      Effect.flatMap(body, (json) => post(path, as, json)).pipe(
        Effect.tap((answer) => {
          const made = answers.created(what, bindings, answer)
          return made === undefined ? Effect.void : session.made(made)
        })
      )

    return Dialect.of({
      reserveBuild: (input, as) => creating("reservation", "/builds", as, buildReservation(session, input, as)),
      finalizeBuild: (token, as) => creating("build", "/builds", as, buildFinalization(token)),
      latestBuild: (query, as) => {
        const usual = { ...repositoryOf(session.config, as), branch: ownBranch(session), platform: "ios" }
        return get(`/builds?${queryOf({ ...usual, ...query })}`, as)
      },
      build: (id, as, query = {}) => get(`/builds/${encoded(id)}${asQuery(query)}`, as),
      put: ({ putUrl }, { as = "none", content, contentType, method = "PUT", range, tamper }) =>
        session.exchange({
          method,
          url: putUrl,
          as,
          headers: { "content-type": contentType, ...(range === undefined ? {} : { "content-range": range }) },
          ...(method === "GET" || method === "HEAD" ? {} : { content }),
          ...(tamper === undefined ? {} : { tamper })
        }),
      reservePreview: (input, as) => creating("preview", "/previews", as, previewReservation(session, input, as)),
      finalizePreview: (reserved, as) => post("/previews/finalize", as, previewFinalization(session, reserved)),
      preview: (shareId, as, query = {}) => get(`/previews/${encoded(shareId)}${asQuery(query)}`, as),
      registerRun: (fields, as) => creating("testRun", "/test-runs", as, runRegistration(session, fields, as)),
      listRuns: (query, as) => {
        const { owner, repo } = repositoryOf(session.config, as)
        return get(`/test-runs?${queryOf({ org: owner, repo, ...query })}`, as)
      },

      reserved: (answer, input) =>
        answers
          .reserved(bindings, answer, input)
          .pipe(
            Effect.tap(({ slots, token }) =>
              Effect.forEach([token, ...slots.map(({ putUrl }) => putUrl)], session.secret)
            )
          ),
      row: (answer) => answers.row(bindings, answer),
      registered: (answer) => answers.registered(bindings, answer),
      listed: (answer) => answers.listed(bindings, answer),
      codes: (answer) => answers.codes(bindings, answer)
    })
  })
)
