/**
 * What each property and parameter of the OpenAPI document means, with an example. A name means the same wherever it appears; where it
 * doesn't, the entry has the name of the property above it too. Examples of objects and arrays are made of those of their properties.
 */
import type { OpenApi } from "effect/http-api"
import { timePattern } from "../model/Text.ts"

type Example = string | number | boolean | null | ReadonlyArray<string>
type Entry = readonly [description: string, example?: Example]

const time = "2026-11-24T18:26:30.678Z"
const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
const uuid = "01a20ecf-36e2-721f-8a31-77b3847077d0"
const host = "https://slipway.example"
/** The description of a field that the interface doesn't have. */
const extension = (description: string) => `An extension of the interface. ${description}`

const cursor = "MDFhMjBlY2YtMzZlMg"

const entries: Readonly<Record<string, Entry>> = {
  account: ["The account that the key belongs to."],
  "ExchangeTokenResponse.account": ["The name of the account that the key belongs to.", "acme"],
  "account.id": ["The id of the account.", uuid],
  "account.name": ["The name of the account.", "acme"],
  actual: ["The value that was found; null if there is none.", 1023],
  app: [
    extension("One of several apps of a repository. It is part of the identity of a test and of a build."),
    "rider"
  ],
  at: ["When the run was registered.", time],
  attempt: ["The attempt at the CI run, as its source has it.", "2"],
  attempts: [extension("Every attempt at the test in this run, the last one last.")],
  "attempts.status": ["How the attempt ended.", "failed"],
  author: [extension("The name of the commit's author."), "Ada Lovelace"],
  base: [extension("The branch that the pull request is to be merged into."), "main"],
  "query.base": ["The branch that the results are compared with.", "main"],
  "SourceRecord.base": ["The branch that the results are compared with.", "main"],
  billingKind: ["`test_run` counts the preview as a billed test run.", "test_run"],
  branch: ["The branch in Git.", "main"],
  boxes: [extension("The components that a replay draws as labelled boxes."), ["BVLinearGradient"]],
  bundle: ["The JavaScript bundle."],
  bundleContentType: ["The MIME type of the bundle.", "text/javascript"],
  bundleOrigin: ["The URL of the origin that the bundle was served from.", "http://localhost:8081"],
  bundleSizeBytes: ["The size of the bundle as uploaded, in bytes.", 413_753],
  bytesStored: ["The stored bytes, of all time."],
  bytesPerMonth: ["The bytes that were uploaded in this month."],
  ciRun: ["Only tests that ran in this CI run.", "github:4711/1"],
  code: ["The kind of the problem, for programs.", "not_found"],
  commitMessage: [
    extension("The beginning of the commit's message, at most 500 characters; a longer one is cut."),
    "Show lengths in feet"
  ],
  commitSha: ["The SHA of the commit, 40 hexadecimal digits.", "5ee0d1e55ee0d1e55ee0d1e55ee0d1e55ee0d1e5"],
  complete: [
    "Whether all imports of the CI run are complete, as far as they were announced, and all its runs were compared.",
    true
  ],
  completedImports: ["How many imports are complete.", 3],
  contentHash: ["The SHA-256 of the uncompressed bytes, in lower-case hexadecimal digits.", sha256],
  contentType: ["The MIME type, to be sent as the header `content-type` of the PUT.", "text/javascript"],
  createdAt: ["When it was created.", time],
  cursor: ["Continues a list after its last page.", cursor],
  detail: ["What happened, for people.", "There is no build with this id."],
  device: ["The device."],
  "RegisterTestRunRequest.device": [extension("The device of the test.")],
  "TestRunRecord.device": [extension("The device of the test.")],
  "TestHistoryRecord.device": ["The platform of the device.", "ios"],
  "TestRecord.device": ["The platform of the device.", "ios"],
  "device.name": ["The name of the device.", "iPhone 17"],
  "device.platform": ["The platform of the device.", "ios"],
  deviceSpec: ["The size of the screen that the app is made for."],
  durationMs: ["The duration, in milliseconds.", 3295],
  entry: ["The name of the entry module.", "index.js"],
  expected: ["The value that was declared.", 1024],
  expectedImports: ["How many imports the CI run has.", 4],
  expectedRuns: ["How many runs the import registers.", 13],
  expiresAt: ["When it expires.", time],
  expiresInSeconds: ["The lifetime of the link, in seconds.", 604_800],
  failed: ["How many runs failed.", 1],
  failedStepIndex: ["The step that failed, counted from 0.", 4],
  failingSince: ["The first failed run since the test last passed."],
  failureMessage: [
    "Why the test failed, at most 16,384 characters. ANSI codes and control characters are removed, and a longer text ends with `… (cut)`.",
    "Timed out while waiting for expectation"
  ],
  firstScreen: [extension("Whether a replay draws the first screen of the app."), "drawn"],
  file: [extension("The file of the test."), "e2e/settings.test.ts"],
  files: ["The files beside the bundle."],
  flaky: ["Whether it passed only after it had failed.", true],
  "SourceRecord.flaky": ["The ids of tests that passed only after they had failed.", [uuid]],
  "totals.flaky": ["How many tests passed only after they had failed.", 1],
  "TestHistoryRecord.flaky": ["Whether the test is flaky.", true],
  "TestRecord.flaky": ["Whether the test is flaky.", true],
  flakyRuns: ["How many runs passed only after they had failed.", 2],
  intermittentRuns: [
    "How many of the last 40 results failed between passed ones, in three or more streaks of one or two. Only for a branch.",
    7
  ],
  "flakyOnBase.of": ["How many results on the base branch were examined, at most 40.", 40],
  "flakyOnBase.unstable": ["How many of these results were flaky, or failures of an intermittent test.", 13],
  flakyOnBase: ["Those of the new failures whose tests are flaky or intermittent on the base branch."],
  format: ["`csv` answers the page as a table, and its next page in the header `link`.", "json"],
  git: ["Where the preview comes from in Git."],
  height: ["The height of the screen, in points.", 844],
  id: ["The id.", uuid],
  "AnnounceImportRequest.id": [
    "Identifies the import in its CI run, and is the same in each attempt.",
    "e2e-ios-maestro"
  ],
  "idempotency-key": ["Repeats the first answer to a repeated request, for 24 hours.", "7d0f3f5e-upload-1"],
  imports: ["Whether all imports of the CI run have ended; present where one was announced."],
  instance: ["The request that the problem is about.", `urn:uuid:${uuid}`],
  isTransformed: ["Whether the bundle is already transformed.", false],
  issues: ["Every field that doesn't fit."],
  job: [
    extension(
      "The job of the CI run that sent this. A later attempt at the CI run replaces runs of the same job only."
    ),
    "e2e-ios"
  ],
  key: ["The API key.", "slip_4f0c…"],
  kind: ["The kind of tests.", "detox"],
  "recordings.kind": ["What was recorded.", "screenshot"],
  known: ["The ids of tests that fail on the base branch too.", [uuid]],
  lastMessage: ["The message of the latest failure.", "Timed out while waiting for expectation"],
  lastPassed: ["The latest run that passed."],
  lastRunAt: ["When the test last ran.", time],
  lastStatus: ["How the latest run ended.", "passed"],
  limit: ["The most that is allowed.", 100],
  days: ["For how many days the test is quarantined.", 14],
  expired: ["Whether the quarantine ended.", false],
  "AddQuarantineRequest.expiresAt": ["When the quarantine ends, at most 90 days from now.", time],
  "QuarantineRecord.expiresAt": ["When the quarantine ends.", time],
  "AddQuarantineRequest.owner": ["Who fixes the test.", "ada"],
  "QuarantineRecord.owner": ["Who fixes the test.", "ada"],
  "AddQuarantineRequest.platform": ["The platform of the devices that the test runs on.", "ios"],
  "QuarantineRecord.platform": ["The platform of the devices that the test runs on.", "ios"],
  "QuarantineRecord.id": ["The id of the test.", "0f0e9f2a5b7c4d1e8a6b3c2d1e0f9a8b"],
  passesInARow: ["How often the test passed in a row on the default branch since it was quarantined.", 3],
  quarantined: [
    extension("Whether the failure is quarantined: it is registered and shown, and left out of conclusions."),
    true
  ],
  "totals.quarantined": ["How many tests failed in quarantine.", 0],
  "SourceRecord.quarantined": ["The ids of tests that failed in quarantine.", [uuid]],
  quarantines: ["The quarantines of the page."],
  "AddQuarantineRequest.reason": ["Why the test is quarantined.", "Waits for the new tide service"],
  "QuarantineRecord.reason": ["Why the test is quarantined.", "Waits for the new tide service"],
  "query.flaky": ["Only flaky tests.", "true"],
  "query.limit": ["The most entries of a page.", "20"],
  link: ["The id of the share link.", uuid],
  message: ["What is wrong.", "must not be empty"],
  "ImportsRecord.missing": ["The imports that are not complete."],
  missing: [extension("What else the app asked for, and a replay doesn't have."), ["RNCamera"]],
  "results.message": ["The message of the failure.", "Timed out while waiting for expectation"],
  method: ["The method of the upload.", "PUT"],
  month: ["The month, in UTC.", "2026-11"],
  name: ["The name of the test.", "Settings › shows lengths in feet"],
  "recordings.name": ["The name of the recording.", "settings.png"],
  "RecordingSlot.name": ["The name of the recording.", "settings.png"],
  new: ["The ids of tests that fail here and not on the base branch.", [uuid]],
  nextCursor: ["The `cursor` of the next page; absent on the last one.", cursor],
  objectKey: ["The object in the store.", "uploads/01a20ecf/bundle"],
  objects: ["Every object that is missing or differs from what was declared."],
  openedAt: ["When the import was opened.", time],
  operation: ["`finalize` finalizes; without it, the request reserves.", "finalize"],
  org: ["The owner of the repository.", "acme"],
  origin: ["The URL of the origin that the bundle was served from.", "http://localhost:8081"],
  osVersion: ["The version of the operating system.", "26.1"],
  owner: ["The owner of the repository.", "acme"],
  p50Ms: ["The median duration, in milliseconds.", 3295],
  p95Ms: ["The 95th percentile of the durations, in milliseconds.", 5120],
  passed: ["How many tests passed.", 11],
  path: ["The path, relative and with slashes.", "assets/icon.png"],
  "issues.path": ["The field.", "files.0.path"],
  platform: ["The platform of the app.", "ios"],
  policy: ["The limit that was reached.", "requests"],
  pr: ["The number of the pull request.", 7],
  "query.pr": ["Only runs of this pull request.", "7"],
  "query.status": ["Only runs with this status.", "failed"],
  "query.branch": ["The branch.", "main"],
  previewShareId: ["The `shareId` of the preview with the recordings.", "zu6rAhMsFHOZBXK2DS3Rtr"],
  previews: ["The previews, newest first."],
  previewUrl: ["The page that runs the app.", `${host}/previews/zu6rAhMsFHOZBXK2DS3Rtr`],
  previewsPerMonth: ["The previews that were finalized in this month."],
  prompt: ["What the test was asked to do.", "Switch lengths to feet"],
  putUrl: ["The URL for the PUT; it expires with the reservation.", `${host}/uploads/01a20ecf/bundle?signature=…`],
  quota: ["The quota that is used up.", "bytesStored"],
  readyAt: ["When the upload was finalized.", time],
  reason: ["Why the object doesn't fit.", "missing"],
  "replayCheck.reason": [
    extension("Why nothing was drawn or checked, or the first error of the app."),
    "Error: no route"
  ],
  replayCheck: [extension("What CI found when it opened the app before the upload.")],
  recordings: ["What was recorded while the app ran."],
  registeredRuns: ["How many runs the import has registered; closes it.", 13],
  repo: ["The name of the repository.", "app"],
  requestId: ["The id of the request, as in the header `x-request-id`.", uuid],
  requiredScopes: ["The scopes that the request needs.", ["builds"]],
  reserved: ["What open reservations will use.", 0],
  resetsAt: ["When the next month begins.", time],
  results: ["The latest results, newest first."],
  "results.status": ["How the run ended.", "passed"],
  retryAfterSeconds: ["How long to wait, in seconds.", 30],
  revokedAt: ["When the link was revoked.", time],
  runId: ["The id of the run.", uuid],
  runs: ["How many runs there are.", 12],
  runsPerMonth: ["The test runs that were registered in this month."],
  scopes: ["The scopes of the key.", ["builds", "preview_upload", "test_runs"]],
  shareId: ["The id of the preview.", "zu6rAhMsFHOZBXK2DS3Rtr"],
  shares: ["The share links, newest first."],
  sizeBytes: ["The size, in bytes.", 1024],
  slots: ["Where to PUT the declared bytes."],
  source: ["The CI run.", "github:4711/1"],
  startedAt: ["When the run started.", time],
  startedAtMs: ["When the recording started, in milliseconds since the start of the run.", 1530],
  state: ["Whether all imports have ended, and whether what is missing may still come.", "complete"],
  "missing.state": ["Whether it is open, or registered too few runs, or is open for a day.", "open"],
  status: ["The status of the test run.", "passed"],
  "BuildRow.status": ["The status of the upload.", "ready"],
  "PreviewMetadata.status": ["The status of the upload.", "ready"],
  stepCount: ["How many steps the test has.", 7],
  tags: [extension("The tags of the test."), ["smoke"]],
  testRuns: ["The test runs, newest first."],
  tests: ["The tests."],
  title: ["The kind of the problem, for people.", "Not found"],
  token: ["The token of the reservation, to finalize with.", "wQ0c3l…"],
  "ExchangeTokenRequest.repository": [
    "The repository, `OWNER/NAME`. Required for tokens of Buildkite, and ignored for others, which have it.",
    "acme/app"
  ],
  "ExchangeTokenRequest.token": ["The identity token of the CI.", "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"],
  totals: ["The numbers of the CI run."],
  "totals.failed": ["How many tests failed.", 1],
  "totals.runs": ["How many runs were registered.", 12],
  traceUrl: ["The page of the test run.", `${host}/runs/${uuid}`],
  type: ["The URI of the kind of the problem.", "urn:slipway:problem:not_found"],
  updatedAt: ["When the upload was last finalized or reserved.", time],
  uploaded: ["`true` if the account has these bytes already; a PUT may be omitted.", true],
  url: ["The page of the upload.", `${host}/builds/${uuid}`],
  "bundle.url": ["Opens the bundle for the account.", `${host}/previews/zu6rAhMsFHOZBXK2DS3Rtr/bundle`],
  "files.url": ["Opens the file for the account.", `${host}/previews/zu6rAhMsFHOZBXK2DS3Rtr/files/0`],
  "recordings.url": ["Opens the recording for the account.", `${host}/previews/zu6rAhMsFHOZBXK2DS3Rtr/recordings/0`],
  "CreateShareLinkResponse.url": ["The link; it is shown only here.", `${host}/shared/kqN2…`],
  used: ["What is used.", 12],
  width: ["The width of the screen, in points.", 390],
  windowSeconds: ["The window of the limit, in seconds.", 60]
}

type Json = { [name: string]: unknown }
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const entryOf = (above: string, name: string): Entry | undefined => entries[`${above}.${name}`] ?? entries[name]

/** Writes descriptions and examples into schemas of one document. */
const documenter = (schemas: Json) => {
  const exampleOf = (schema: unknown, above: string, entry?: Entry): unknown => {
    if (!isObject(schema)) return undefined
    const { $ref, anyOf, enum: values, items, properties, type } = schema
    if (typeof $ref === "string") {
      const name = $ref.slice($ref.lastIndexOf("/") + 1)
      return exampleOf(schemas[name], name, entry)
    }
    const [given] = Array.isArray(schema["examples"]) ? schema["examples"] : []
    if (given !== undefined) return given
    if (Array.isArray(values) && !values.includes(entry?.[1])) return values[0]
    if (entry?.[1] !== undefined) return entry[1]
    if (isObject(properties)) {
      return Object.fromEntries(
        Object.entries(properties).flatMap(([name, property]) =>
          isNever(property) ? [] : [[name, exampleOf(property, above, entryOf(above, name))]]
        )
      )
    }
    if (type === "array") return [exampleOf(items, above)]
    return Array.isArray(anyOf) ? exampleOf(anyOf[0], above) : undefined
  }

  const walk = (schema: unknown, above: string): void => {
    if (Array.isArray(schema)) {
      for (const one of schema) walk(one, above)
      return
    }
    if (!isObject(schema)) return
    for (const [key, value] of Object.entries(schema)) {
      if (key !== "properties" || !isObject(value)) {
        if (key !== "examples") walk(value, above)
        continue
      }
      for (const [name, property] of Object.entries(value)) {
        walk(property, name)
        const entry = entryOf(above, name)
        if (!isObject(property) || isNever(property) || entry === undefined) continue
        property["description"] ??= entry[0]
        property["examples"] ??= [exampleOf(property, name, entry)]
      }
    }
  }
  return { exampleOf, walk }
}

/** A property that must be absent. */
const isNever = (schema: unknown): boolean => isObject(schema) && "not" in schema

/** The schemas that this one refers to, itself included. */
const referred = (schema: unknown, all: Json, found: Set<unknown> = new Set()): Set<unknown> => {
  if (typeof schema !== "object" || schema === null || found.has(schema)) return found
  found.add(schema)
  for (const [key, value] of Object.entries(schema)) {
    const name = key === "$ref" && typeof value === "string" ? value.replace("#/components/schemas/", "") : undefined
    referred(name === undefined ? value : all[name], all, found)
  }
  return found
}

/** The document with requests as the host accepts them: it ignores unknown members. */
export const withAcceptedRequests = <Spec extends Pick<OpenApi.OpenAPISpec, "components" | "paths">>(
  spec: Spec
): Spec => {
  const tolerant = structuredClone(spec)
  const bodies = Object.values(tolerant.paths).map((path) => path.post?.requestBody)
  for (const schema of referred(bodies, { ...tolerant.components.schemas })) {
    if (!isObject(schema)) continue
    if (schema["additionalProperties"] === false) delete schema["additionalProperties"]
    // The document has no check of a text that is decoded to a time.
    const { startedAt } = isObject(schema["properties"]) ? schema["properties"] : {}
    if (isObject(startedAt)) startedAt["pattern"] = timePattern.source
  }
  return tolerant
}

/** The document with a description and an example of every property and parameter. */
export const withPropertyDocs = <Spec extends Pick<OpenApi.OpenAPISpec, "components" | "paths">>(spec: Spec): Spec => {
  const documented = structuredClone(spec)
  const schemas: Json = { ...documented.components.schemas }
  const { walk } = documenter(schemas)
  for (const [name, schema] of Object.entries(schemas)) walk(schema, name)
  for (const path of Object.values(documented.paths)) {
    for (const method of ["get", "put", "post", "delete"] as const) {
      const operation = path[method]
      if (operation === undefined) continue
      walk([operation.requestBody, operation.responses], "")
      for (const parameter of operation.parameters) {
        const entry = entryOf(parameter.in, parameter.name)
        if (entry === undefined) continue
        parameter.description ??= entry[0]
        Object.assign(parameter, { example: entry[1] })
      }
    }
  }
  return documented
}

// The headers that refusals have in the OpenAPI document, besides their body. @see docs/interface.md#7

const seconds = { type: "string", pattern: "^[0-9]+$" }

const retryAfter = { description: "After how many seconds to ask again.", required: true, schema: seconds }

const challenge = (required: boolean) => ({
  description: "`Bearer`, and the scope that a key lacks.",
  required,
  schema: { type: "string", pattern: "^Bearer" }
})

const byStatus: Readonly<Record<string, Readonly<Record<string, OpenApi.OpenAPISpecHeader>>>> = {
  401: { "www-authenticate": challenge(true) },
  // A quota that is used up has none.
  403: { "www-authenticate": challenge(false) },
  429: {
    "retry-after": retryAfter,
    ratelimit: {
      description: "The remaining requests, `r`, of the limit that was reached, and the seconds until it resets, `t`.",
      required: true,
      schema: { type: "string", pattern: '^"[^"]+";r=0;t=[0-9]+$' }
    },
    "ratelimit-policy": {
      description: "The limit that was met: how many, `q`, in a window of so many seconds, `w`, where it has one.",
      required: true,
      schema: { type: "string", pattern: '^"[^"]+";q=[0-9]+(?:;w=[0-9]+)?$' }
    }
  },
  503: { "retry-after": retryAfter }
}

/** The paths of the document, with the headers of refusals. */
export const withRefusalHeaders = (paths: OpenApi.OpenAPISpecPaths): OpenApi.OpenAPISpecPaths => {
  const declared = structuredClone(paths)
  for (const path of Object.values(declared)) {
    for (const method of ["get", "put", "post", "delete"] as const) {
      for (const [status, response] of Object.entries(path[method]?.responses ?? {})) {
        const headers = byStatus[status]
        if (headers !== undefined) response.headers = { ...response.headers, ...headers }
      }
    }
  }
  return declared
}
