import { Effect, FileSystem, Redacted, Schema, SchemaIssue, Struct } from "effect"
import { commandName } from "../commandName.ts"
import {
  Account,
  BaseUrl,
  Bindings,
  Config,
  defaultBindings,
  defaults,
  Refused,
  Supplied,
  unlinkedRepository
} from "../Config.ts"
import { previewPlaceholders } from "../../dialect/layer.ts"
import { placeholdersOf } from "../../dialect/Dialect.ts"
import type { Json } from "../../session/Exchange.ts"
import type { Keys } from "../../session/Session.ts"
import { readVariables, repositoryFrom, variables } from "./variables.ts"
import { Prompt } from "effect/cli"

const partial = Struct.map(Schema.optionalKey)

const key = (description: string) => Schema.optionalKey(Schema.NonEmptyString.annotate({ description }))

/** The keys of an account. They may be in the environment instead, and nowhere else. */
const FileKeys = Schema.Struct({
  all: key("A key with all three scopes"),
  cleanup: key("A key that may delete, for the requests of cleanup; the key with all three scopes without one"),
  builds: key("A key with the scope builds alone"),
  previewUpload: key("A key with the scope preview_upload alone"),
  testRuns: key("A key with the scope test_runs alone"),
  withoutBuilds: key("Of account a, with the other two keys without a scope: a key with preview_upload and test_runs"),
  withoutPreviewUpload: key("A key with the scopes builds and test_runs"),
  withoutTestRuns: key("A key with the scopes builds and preview_upload")
})

const FileAccount = Schema.Struct({ ...Account.mapFields(partial).fields, keys: Schema.optionalKey(FileKeys) })

const FileBindings = Schema.Struct({
  ...Bindings.mapFields(partial).fields,
  bodies: Schema.optionalKey(Bindings.fields.bodies.mapFields(partial))
})

const { pairsOfScopes: _, scopedKeys: __, scopedKeysOfB: ___, ...settings } = Config.fields

/** A config file. Missing settings come from the environment, from flags or from the defaults. */
export const ConfigFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  ...Schema.Struct(settings).mapFields(partial).fields,
  accounts: Schema.optionalKey(
    Schema.Struct({ a: Schema.optionalKey(FileAccount), b: Schema.optionalKey(FileAccount) })
  ),
  supplied: Schema.optionalKey(Supplied),
  bindings: Schema.optionalKey(FileBindings)
}).annotate({ title: `Config of ${commandName}` })
export type ConfigFile = typeof ConfigFile.Type

/** The JSON Schema (2020-12) of a config file. */
export const configSchema = (): Readonly<Record<string, unknown>> => {
  const { definitions, dialect: _, schema } = Schema.toJsonSchemaDocument(ConfigFile, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

/** The file that is read when none is named and it exists. */
export const usualFile = "slipway-conformance.json"

/** The settings of a run, with the keys apart. */
interface Loaded {
  readonly config: Config
  readonly keys: Keys
}

type Body = Readonly<Record<string, Json>>

const isBody = (value: Json | undefined): value is Body =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const withValue = (body: Body, [name = "", ...inner]: ReadonlyArray<string>, value: Json): Body => {
  const there = body[name]
  return { ...body, [name]: inner.length === 0 ? value : withValue(isBody(there) ? there : {}, inner, value) }
}

const readFile = Effect.fnUntraced(function* (named: string | undefined) {
  const files = yield* FileSystem.FileSystem
  const file = named ?? usualFile
  const isThere = yield* Effect.orElseSucceed(files.exists(file), () => false)
  if (named === undefined && !isThere) return {}
  const text = yield* Effect.mapError(
    files.readFileString(file),
    () => new Refused({ message: `The config file ${file} can't be read` })
  )
  const json = yield* Effect.mapError(
    Schema.decodeEffect(Schema.fromJsonString(Schema.Json))(text),
    () => new Refused({ message: `The config file ${file} is not JSON` })
  )
  return isBody(json) ? json : yield* new Refused({ message: `The config file ${file} must hold a JSON object` })
})

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

/** Lists every invalid value with its place and the variable or flag that set it. */
const mismatches = (issue: SchemaIssue.Issue, origins: ReadonlyMap<string, string>): Refused => {
  const sentences = formatIssues(issue).issues.map(({ message, path = [] }) => {
    const place = path.map(String).join(".")
    const origin = origins.get(place)
    return `${place}${origin === undefined ? "" : ` (${origin})`}: ${message}`
  })
  return new Refused({ message: `The config doesn't fit: ${sentences.join("; ")}` })
}

/** A trailing slash of a base URL has no meaning, so it is removed. */
const trimmed = (value: Json): Json => (typeof value === "string" ? value.replace(/\/+$/, "") : value)

const decode = (said: Body, origins: ReadonlyMap<string, string>): Effect.Effect<ConfigFile, Refused> => {
  const urls = Object.entries(said).map(([name, value]) => [name, /url$/i.test(name) ? trimmed(value) : value] as const)
  return Effect.mapError(
    Schema.decodeEffect(ConfigFile)(Object.fromEntries(urls), { errors: "all", onExcessProperty: "error" }),
    ({ issue }) => mismatches(issue, origins)
  )
}

const variableOf = (path: string): string => variables.find((one) => one.path.join(".") === path)?.name ?? path

/** The required settings that are missing. */
const missingOf = (file: ConfigFile): ReadonlyArray<string> => {
  const { a, b } = file.accounts ?? {}
  const needed: ReadonlyArray<readonly [string, unknown]> = [
    ["url", file.url],
    ["accounts.a.linked", a?.linked],
    ["accounts.a.keys.all", a?.keys?.all],
    ["accounts.b.keys.all", b?.keys?.all]
  ]
  return needed.flatMap(([path, value]) => (value === undefined ? [`${path} (${variableOf(path)})`] : []))
}

/** What a file says of an account, without its keys. */
const accountOf = (
  {
    attribution,
    second,
    unlinked = unlinkedRepository
  }: Pick<Partial<Config["accounts"]["a"]>, "attribution" | "second" | "unlinked">,
  linked: Config["accounts"]["a"]["linked"]
) => ({
  linked,
  ...(second === undefined ? {} : { second }),
  unlinked,
  ...(attribution === undefined ? {} : { attribution })
})

const keysOf = (given: Readonly<Record<string, string>> | undefined) =>
  Object.fromEntries(Object.entries(given ?? {}).map(([name, key]) => [name, Redacted.make(key, { label: name })]))

const bindingsOf = (given: ConfigFile["bindings"]): Bindings => ({
  ...defaultBindings,
  ...given,
  bodies: { ...defaultBindings.bodies, ...given?.bodies }
})

const filePlaceholders = ["path", "sizeBytes", "contentType", "contentHash"]
const uploadPlaceholders = [...previewPlaceholders, "billingKind"]

/** The places that each template may use. */
const checkPlaceholders: Readonly<Record<keyof Bindings["bodies"], ReadonlyArray<string>>> = {
  file: filePlaceholders,
  previewFile: filePlaceholders,
  recording: ["name", "kind", "sizeBytes", "contentType", "contentHash"],
  buildReserve: uploadPlaceholders,
  previewReserve: uploadPlaceholders,
  previewFinalize: ["token", "shareId"],
  runRegister: ["source", "pr", "kind", "name", "prompt", "status", "owner", "repo", "branch", "commitSha"]
}

/** The keys that have one of the three scopes. */
const singles = ["builds", "previewUpload", "testRuns"] as const

/** The keys that have two of the three scopes. */
const pairs = ["withoutBuilds", "withoutPreviewUpload", "withoutTestRuns"] as const

const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern).test("") || true
  } catch {
    return false
  }
}

const sameRepository = (one: Config["accounts"]["a"]["linked"], other: Config["accounts"]["a"]["linked"]): boolean =>
  `${one.owner}/${one.repo}`.toLowerCase() === `${other.owner}/${other.repo}`.toLowerCase()

/** Finds contradictions between the parts of a config. */
const contradiction = ({ config, keys }: Loaded): string | undefined => {
  const { accounts, bindings, url, viewerUrl } = config
  const unparsed = [url, viewerUrl ?? url].find((one) => !URL.canParse(one))
  if (unparsed !== undefined) return `${unparsed} is not a URL`
  for (const [name, template] of Object.entries(bindings.bodies)) {
    const allowed = Object.entries(checkPlaceholders).find(([one]) => one === name)?.[1] ?? []
    const unknown = placeholdersOf(template).find((place) => !allowed.includes(place))
    if (unknown !== undefined) return `bindings.bodies.${name} has a place {${unknown}} that nothing fills`
  }
  const { buildIdPattern } = bindings.answers
  if (buildIdPattern !== undefined && !compiles(buildIdPattern)) {
    return "bindings.answers.buildIdPattern is not a regular expression"
  }
  const isOne = accounts.a.linked === accounts.b.linked
  if (!isOne && sameRepository(accounts.a.linked, accounts.b.linked))
    return "accounts.a.linked and accounts.b.linked are the same"
  for (const [name, { linked, second, unlinked }] of Object.entries(accounts)) {
    if (
      second !== undefined &&
      [accounts.a.linked, accounts.b.linked, unlinked].some((one) => sameRepository(one, second))
    ) {
      return `accounts.${name}.second is another of the repositories`
    }
    if (sameRepository(linked, unlinked)) return `accounts.${name}.linked and accounts.${name}.unlinked are the same`
  }
  const [without] = singles.filter((name) => keys.a[name] === undefined)
  if (config.scopedKeys !== false && without !== undefined) {
    return `accounts.a.keys.${without} is missing: the keys with one of the scopes are given all or not at all`
  }
  const [missing] = pairs.filter((name) => keys.a[name] === undefined)
  if (config.pairsOfScopes === true && missing !== undefined) {
    return `accounts.a.keys.${missing} is missing: the keys with two of the scopes are given all or not at all`
  }
  const given = Object.entries(keys).flatMap(([account, some]) =>
    Object.entries(some).map(([name, key]) => [`accounts.${account}.keys.${name}`, Redacted.value(key)] as const)
  )
  const twice = given.find(([, key], index) => given.findIndex(([, other]) => other === key) !== index)
  return twice === undefined ? undefined : `${twice[0]} is a key that stands elsewhere too`
}

/** The name of a flag, its place in a config file, and its value. */
export type FlagValue = readonly [flag: string, path: string, value: Json]

interface Sources {
  readonly file: string | undefined
  readonly flags: ReadonlyArray<FlagValue>
}

/** The settings of all sources together, complete or not. */
const gather = Effect.fnUntraced(function* (sources: Sources) {
  const origins = new Map<string, string>()
  let said: Body = yield* readFile(sources.file)
  for (const [{ name, path }, value] of yield* readVariables) {
    said = withValue(said, path, value)
    origins.set(path.join("."), name)
  }
  for (const [flag, path, value] of sources.flags) {
    said = withValue(said, path.split("."), value)
    origins.set(path, flag)
  }
  return yield* decode(said, origins)
})

/** The settings that a plan needs without a target. */
export const loadPart = Effect.fnUntraced(function* (sources: Sources) {
  const { concurrency, profiles, supplied, windowMs } = { ...defaults, ...(yield* gather(sources)) }
  return { concurrency, profiles, supplied, windowMs }
})

/**
 * Reads the settings of a run: the file (the default one if it exists and none is named), overridden by the
 * environment, overridden by the flags. An invalid, missing or contradictory setting is Refused with its name.
 */
export const load = Effect.fnUntraced(function* (sources: Sources) {
  const file = yield* gather(sources)
  const missing = missingOf(file)
  const { a, b } = file.accounts ?? {}
  if (missing.length > 0 || file.url === undefined || a?.linked === undefined || b === undefined) {
    return yield* new Refused({ message: `The config lacks ${missing.join(", ")}` })
  }
  const { $schema: _, accounts: __, bindings, url, ...rest } = file
  const loaded: Loaded = {
    config: {
      ...defaults,
      ...rest,
      url,
      accounts: {
        a: accountOf(a, a.linked),
        b: accountOf(b, b.linked ?? a.linked)
      },
      ...(singles.every((name) => a.keys?.[name] === undefined) ? { scopedKeys: false } : {}),
      ...(pairs.every((name) => a.keys?.[name] === undefined) ? {} : { pairsOfScopes: true }),
      bindings: bindingsOf(bindings)
    },
    keys: { a: keysOf(a.keys), b: keysOf(b.keys) }
  }
  const wrong = contradiction(loaded)
  return wrong === undefined ? loaded : yield* new Refused({ message: `The config contradicts itself: ${wrong}` })
})

const isUrl = Schema.is(BaseUrl)

const url = (message: string) =>
  Prompt.String({
    message,
    validate: (text) =>
      isUrl(text.replace(/\/+$/, ""))
        ? Effect.succeed(text.replace(/\/+$/, ""))
        : Effect.fail("An http or https URL, without user, query or fragment")
  })

const repository = (message: string) =>
  Prompt.String({
    message: `${message} (OWNER/REPO)`,
    validate: (text) =>
      repositoryFrom(text) === undefined ? Effect.fail("OWNER/REPO, such as acme/app") : Effect.succeed(text)
  }).pipe(Prompt.map((text) => repositoryFrom(text) ?? { owner: text, repo: text }))

const profiles = Prompt.MultiSelect({
  message: "What does it implement?",
  min: 1,
  choices: [
    { title: "builds", value: "builds" as const, selected: true },
    { title: "previews", value: "previews" as const, selected: true },
    { title: "test runs", value: "testRuns" as const, selected: true }
  ]
})

const askKey = (message: string) =>
  Prompt.map(
    Prompt.Password({
      message,
      validate: (text) => (text === "" ? Effect.fail("A key") : Effect.succeed(text))
    }),
    Redacted.value
  )

const scopedKeysOfA = Prompt.all({
  builds: askKey("Account a: a key with the scope builds alone"),
  previewUpload: askKey("Account a: a key with the scope preview_upload alone"),
  testRuns: askKey("Account a: a key with the scope test_runs alone")
})

const pairKeysOfA = Prompt.all({
  withoutBuilds: askKey("Account a: a key with preview_upload and test_runs"),
  withoutPreviewUpload: askKey("Account a: a key with builds and test_runs"),
  withoutTestRuns: askKey("Account a: a key with builds and preview_upload")
})

const usualHeader = `${defaultBindings.key.header}: ${defaultBindings.key.value}`

/** A header with the place of the key. */
const keyHeader = Prompt.String({
  message: `The header of the key (${usualHeader})`,
  validate: (text) =>
    text === "" || /^[\w-]+: .*\{(?:key|key:base64|basic)\}/.test(text)
      ? Effect.succeed(text)
      : Effect.fail("A header with {key}, {key:base64} or {basic} in it, such as x-api-key: {key}")
}).pipe(
  Prompt.map((text) => {
    const [header = text, ...value] = (text === "" ? usualHeader : text).split(": ")
    return { header, value: value.join(": ") }
  })
)

const neededKeys = ["SLIPWAY_CONFORMANCE_KEY_A_ALL", "SLIPWAY_CONFORMANCE_KEY_B_ALL"]
const scopedKeys = ["BUILDS", "PREVIEW_UPLOAD", "TEST_RUNS"].map((name) => `SLIPWAY_CONFORMANCE_KEY_A_${name}`)

/** Asks on the terminal for the contents of a config file. */
const ask = Effect.gen(function* () {
  const base = yield* url("Base URL of the service, without /api/v1")
  const [first, ...others] = yield* profiles
  const a = yield* repository("A repository that is linked to account a")
  const isMore = yield* Prompt.Confirm({
    message: "Has account b a repository too, and account a a key for each scope? Without them, checks are skipped",
    initial: false
  })
  const b = isMore ? { linked: yield* repository("A repository that is linked to account b") } : {}
  const hasMore =
    isMore &&
    (yield* Prompt.Confirm({
      message: "Has account a a second repository, and keys with two of the three scopes? They find more faults",
      initial: false
    }))
  const second = hasMore ? { second: yield* repository("Another repository that is linked to account a") } : {}
  const header = yield* keyHeader
  const withKeys = yield* Prompt.Confirm({
    message: "Write the keys into the file? Otherwise they come from SLIPWAY_CONFORMANCE_KEY_A_ALL and so on",
    initial: false
  })
  const keys = withKeys
    ? {
        a: {
          all: yield* askKey("Account a: a key with all three scopes"),
          ...(isMore ? yield* scopedKeysOfA : {}),
          ...(hasMore ? yield* pairKeysOfA : {})
        },
        b: { all: yield* askKey("Account b: a key with all three scopes") }
      }
    : {}
  return {
    url: base,
    ...(first === undefined ? {} : { profiles: [first, ...others] as const }),
    accounts: {
      a: { linked: a, ...second, ...("a" in keys ? { keys: keys.a } : {}) },
      b: { ...b, ...("b" in keys ? { keys: keys.b } : {}) }
    },
    bindings: { key: header }
  } satisfies ConfigFile
})

/** The written config, and the variables that a run needs in addition. */
interface Written {
  readonly file: string
  readonly variables: ReadonlyArray<string>
}

/** Asks for a config and writes it to a new file that only its owner can read. */
export const init = Effect.fnUntraced(function* (named: string | undefined) {
  const file = named ?? usualFile
  const files = yield* FileSystem.FileSystem
  const failed = () => new Refused({ message: `The config file ${file} can't be written` })
  if (yield* Effect.mapError(files.exists(file), failed)) {
    return yield* new Refused({ message: `There is a file ${file} already` })
  }
  const config = yield* ask
  yield* Effect.mapError(files.writeFileString(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 }), failed)
  const needed = "linked" in config.accounts.b ? [...neededKeys, ...scopedKeys] : neededKeys
  return { file, variables: "keys" in config.accounts.a ? [] : needed } satisfies Written
})
