import { Data, Runtime, Schema } from "effect"

/** The config, a file or a flag is invalid. The message is one sentence that names what is wrong. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = 2
}

/** The schema of a config file, with a description of each setting. */
const described = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotate({ description })

const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(described(schema, description))

const whole = (minimum: number, maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum, maximum }, { message: `must be a whole number from ${minimum} to ${maximum}` })
  )

/** A repository as requests name it. */
export const Repository = Schema.Struct({ owner: Schema.NonEmptyString, repo: Schema.NonEmptyString })

/** A JSON Pointer (RFC 6901) into an answer, such as `/data/id`; the empty one is the whole answer. */
export const Pointer = Schema.String.check(
  Schema.isPattern(/^(?:\/(?:[^~]|~[01])*)?$/u, { message: "must be a JSON Pointer such as /data/id" })
)

/** The base URL of a target, without a user or password. */
export const BaseUrl = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^/?#@\s]+(?:\/[^?#\s]*[^/?#\s])?$/u, {
    message: "must be an http or https URL without user, query or fragment, such as https://staging.example"
  })
)

/**
 * A body with places to fill. A string that is only `{name}` is replaced by the value of that name with its type;
 * `{name}` within a longer string is replaced by its text. A property whose value is missing is left out. In a list, a
 * `{name}` whose value is a list is replaced by its items.
 */
const Template = Schema.Record(Schema.String, Schema.Json)

const KeyHeader = Schema.Struct({
  header: described(
    Schema.String.check(Schema.isPattern(/^[\w-]+$/u, { message: "must be the name of a header" })),
    "The header that carries the key, such as authorization"
  ),
  value: described(
    Schema.String.check(
      Schema.isPattern(/\{(?:key|key:base64|basic)\}/u, { message: "must have {key}, {key:base64} or {basic} in it" })
    ),
    "Its value: {key} is the key, {key:base64} the key in base64, {basic} the key and a colon in base64"
  )
})

const Bodies = Schema.Struct({
  file: described(Template, "An item of files: {path}, {sizeBytes}, {contentType}, {contentHash}"),
  previewFile: optional(Template, "An item of the files of a preview, where that is another than of a build"),
  recording: described(
    Template,
    "An item of the recordings: {name}, {kind}, {sizeBytes}, {contentType}, {contentHash}"
  ),
  buildReserve: described(Template, "What a build reservation has beside the fields that the interface shows"),
  previewReserve: described(
    Template,
    "A preview reservation: {platform}, {contentHash}, {bundleSizeBytes}, {bundleContentType}, {bundleOrigin}, {entry}, " +
      "{isTransformed}, {deviceSpec}, {width}, {height}, {files}, {recordings}, {owner}, {repo}, {branch}, {commitSha}, {pr}, " +
      "{billingKind}"
  ),
  previewFinalize: described(Template, "A preview's finalize: {token}, {shareId}"),
  runRegister: described(Template, "What a registration has beside the fields that the interface shows: {source}, {pr}")
})

/** Where a value lies in an answer. Values without a binding are searched for. */
const Answers = Schema.Struct({
  token: optional(Pointer, "The token, in the answer to a reservation"),
  buildId: optional(Pointer, "The id of a build, in its row"),
  buildIdPattern: optional(
    Schema.String,
    "A regular expression whose first group is the id in the text at buildId, where that is more than an id"
  ),
  buildUrl: optional(Pointer, "The url of a build, in its row"),
  buildPreviewUrl: optional(Pointer, "The previewUrl of a build, in its row"),
  buildStatus: optional(Pointer, "The status of a build, in its row"),
  shareId: optional(Pointer, "The shareId, in the answer to a preview's reservation"),
  previewUrl: optional(Pointer, "The hosted URL of a preview, in the answer to finalize"),
  runPreviewUrl: optional(Pointer, "The previewUrl of a run, in the answer to a registration"),
  runTraceUrl: optional(Pointer, "The traceUrl of a run, in the answer to a registration"),
  runs: optional(Pointer, "The list of test runs, in its answer"),
  runStatus: optional(Pointer, "What says whether a run passed, in an item of the list"),
  runName: optional(Pointer, "The name of a run, in an item of the list"),
  nextCursor: optional(Pointer, "What continues a list, in its answer"),
  errorCode: optional(Pointer, "The code of a refusal, in its body"),
  account: optional(Pointer, "Whose a preview is, in its metadata; what stands there is accounts.a.attribution")
})

/** The parameters of a presigned URL, where their names don't show their meaning, or the segments of its path. */
const UploadUrl = Schema.Struct({
  signature: optional(
    Schema.NonEmptyString,
    "The parameter that holds the signature, or a segment of the path: /2 is the second, /-1 the last"
  ),
  key: optional(Schema.NonEmptyString, "The segment of the path that names the object, where it isn't the last"),
  expiry: optional(Schema.NonEmptyString, "The parameter that holds the end of its life"),
  type: optional(Schema.NonEmptyString, "The parameter that holds the content type"),
  length: optional(Schema.NonEmptyString, "The parameter that holds the length of the body")
})

/** How to speak to the target where the interface leaves it open. The defaults are what Slipway does. */
export const Bindings = Schema.Struct({
  key: KeyHeader,
  bodies: described(
    Bodies,
    'Bodies with places to fill. "{name}" alone becomes the value with its type, within a longer text its text, and a ' +
      'member without a value is left out. In a list, an item "{files}" is replaced by the items of that list, so ' +
      '[{ role: bundle }, "{files}", "{recordings}"] makes one flat list'
  ),
  answers: Answers,
  passed: described(Schema.Json, "The value at answers.runStatus of a run that is stored as passed"),
  ready: optional(Schema.Json, "The value at answers.buildStatus of a build that is ready"),
  statusFilter: optional(
    Schema.Struct({ passed: Schema.NonEmptyString, failed: Schema.NonEmptyString }),
    "The values of the parameter `status` of the list that select the passed runs, and the failed ones"
  ),
  uploadUrl: described(
    UploadUrl,
    "Names of parameters of a putUrl, where the suite doesn't know them by their names, or segments of its path such as /2"
  ),
  cursorParameter: described(Schema.NonEmptyString, "The query parameter that continues a list")
})
export type Bindings = typeof Bindings.Type

/** What a run knows of an account. Its keys are kept apart: see `session/Keys.ts`. */
export const Account = Schema.Struct({
  linked: described(Repository, "A repository that is linked to this account"),
  second: optional(Repository, "Another repository that is linked to this account: what is in one isn't in the other"),
  unlinked: described(Repository, "A repository that is not linked to this account"),
  attribution: optional(Schema.Json, "What answers.account of the bindings holds in the metadata of its previews")
})

/** Existing resources on the target for `--read-only`. */
export const Supplied = Schema.Struct({
  buildId: optional(Schema.NonEmptyString, "The id of a ready build of account a"),
  buildBranch: optional(Schema.NonEmptyString, "Its branch"),
  buildPlatform: optional(Schema.Literals(["ios", "android"]), "Its platform"),
  shareId: optional(Schema.NonEmptyString, "The shareId of a hosted preview of account a")
})

export const Profiles = Schema.NonEmptyArray(Schema.Literals(["builds", "previews", "testRuns"]))

/** The vendor of the target, as a report shows it. */
const Implementation = Schema.Struct({
  organisation: Schema.NonEmptyString,
  name: Schema.NonEmptyString,
  version: optional(Schema.NonEmptyString, "The version that runs at the url"),
  contact: optional(Schema.NonEmptyString, "Contact: an address or a page")
})

const CleanupRequest = Schema.Struct({
  method: Schema.String.check(Schema.isPattern(/^[A-Z]+$/u, { message: "must be a method such as DELETE" })),
  path: described(
    Schema.String.check(Schema.isPattern(/^\/\S*$/u, { message: "must be a path that begins with /" })),
    "What follows the url; {id} is the id of the resource"
  )
})

/** How to delete what a run created. The interface has no endpoint for it. */
export const Cleanup = Schema.Struct({
  command: optional(
    Schema.NonEmptyArray(Schema.NonEmptyString),
    "A program and its arguments, started once. It reads a line of JSON for each resource: what (build, preview, testRun), id, url"
  ),
  requests: optional(
    Schema.Struct({
      build: optional(CleanupRequest, "For each build"),
      preview: optional(CleanupRequest, "For each preview"),
      testRun: optional(CleanupRequest, "For each test run")
    }),
    "A request for each resource, without a body, with the key `cleanup` of account a or else its key `all`, and where that is refused with that of b"
  )
})
export type Cleanup = typeof Cleanup.Type

/** What a run knows of its target. It holds no key, so a report may contain all of it. */
export const Config = Schema.Struct({
  url: described(BaseUrl, "{base_url} of the interface, without a slash at its end"),
  viewerUrl: optional(BaseUrl, "The base URL of previewUrl and traceUrl of a run, if the vendor documents it"),
  implementation: optional(Implementation, "The vendor. The report shows it; no check depends on it"),
  profiles: described(Profiles, "What the target claims to be"),
  accounts: Schema.Struct({ a: Account, b: Account }),
  pairsOfScopes: optional(
    Schema.Boolean,
    "Whether account a has the keys withoutBuilds, withoutPreviewUpload and withoutTestRuns"
  ),
  scopedKeys: optional(Schema.Boolean, "Set to false where account a has only its key with all three scopes"),
  scopedKeysOfB: optional(Schema.Boolean, "Whether account b has a key of each single scope too"),
  supplied: Supplied,
  windowMs: described(
    whole(0, 60_000),
    "How long after a write a read may still answer the old state, in milliseconds"
  ),
  tokenLifeMs: optional(
    whole(1, 86_400_000),
    "How long a reservation token lives, in milliseconds, if the vendor documents it. Two checks wait for that long"
  ),
  putUrlLifeMs: optional(
    whole(1, 86_400_000),
    "How long a putUrl can be used, in milliseconds, if the vendor documents it. Two checks wait for that long"
  ),
  timeoutMs: described(whole(100, 300_000), "How long an answer may take, in milliseconds"),
  concurrency: described(whole(1, 64), "How many checks run side by side"),
  deadlineMs: described(
    whole(1000, 86_400_000),
    "How long a whole run may take, in milliseconds. Checks that haven't ended by then count as unanswered"
  ),
  thorough: optional(Schema.Boolean, "Whether ten times as many sequences are drawn, as --thorough does"),
  cleanup: optional(Cleanup, "How to delete what a run created. It holds no secret: reports show it"),
  bindings: Bindings
})
export type Config = typeof Config.Type

const artifact = { sizeBytes: "{sizeBytes}", contentType: "{contentType}", contentHash: "{contentHash}" }

/** The default bindings: what Slipway does where the interface leaves it open. */
export const defaultBindings: Bindings = {
  key: { header: "authorization", value: "Bearer {key}" },
  bodies: {
    file: { path: "{path}", ...artifact },
    recording: { name: "{name}", kind: "{kind}", ...artifact },
    buildReserve: {},
    previewReserve: {
      platform: "{platform}",
      contentHash: "{contentHash}",
      bundleSizeBytes: "{bundleSizeBytes}",
      bundleContentType: "{bundleContentType}",
      bundleOrigin: "{bundleOrigin}",
      entry: "{entry}",
      isTransformed: "{isTransformed}",
      deviceSpec: "{deviceSpec}",
      files: "{files}",
      recordings: "{recordings}",
      owner: "{owner}",
      repo: "{repo}",
      branch: "{branch}",
      commitSha: "{commitSha}",
      pr: "{pr}",
      billingKind: "{billingKind}"
    },
    previewFinalize: { token: "{token}" },
    runRegister: { source: "{source}", pr: "{pr}" }
  },
  answers: {},
  passed: "passed",
  uploadUrl: {},
  cursorParameter: "cursor"
}

/** The defaults of a config. The URL and the accounts have none. */
export const defaults: Omit<Config, "url" | "accounts"> = {
  profiles: ["builds", "previews", "testRuns"],
  supplied: {},
  windowMs: 0,
  timeoutMs: 10_000,
  concurrency: 8,
  deadlineMs: 600_000,
  bindings: defaultBindings
}

/** A repository that most probably no account has linked. */
export const unlinkedRepository = { owner: "tern-and-plover", repo: "fieldbook-app" }
