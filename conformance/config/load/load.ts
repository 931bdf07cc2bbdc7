import { Effect, FileSystem, Redacted, Schema, SchemaIssue } from "effect"
import { previewPlaceholders } from "../../dialect/bodies.ts"
import { placeholdersOf } from "../../dialect/template.ts"
import { Refused } from "../Refused.ts"
import type { Json } from "../../session/Exchange.ts"
import type { Keys } from "../../session/Keys.ts"
import type { Bindings, Config } from "../Config.ts"
import { ConfigFile } from "./ConfigFile.ts"
import { defaultBindings, defaults, unlinkedRepository } from "../defaults.ts"
import { readVariables, variables } from "./variables.ts"

/** The file that is read when none is named and it exists. */
export const usualFile = "slipway-conformance.json"

/** The settings of a run, with the keys apart. */
export interface Loaded {
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
    ["accounts.b.linked", b?.linked],
    ["accounts.a.keys.all", a?.keys?.all],
    ["accounts.a.keys.builds", a?.keys?.builds],
    ["accounts.a.keys.previewUpload", a?.keys?.previewUpload],
    ["accounts.a.keys.testRuns", a?.keys?.testRuns],
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

/** The keys that have two of the three scopes. */
export const pairs = ["withoutBuilds", "withoutPreviewUpload", "withoutTestRuns"] as const

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
  if (sameRepository(accounts.a.linked, accounts.b.linked))
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
  if (missing.length > 0 || file.url === undefined || a?.linked === undefined || b?.linked === undefined) {
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
        b: accountOf(b, b.linked)
      },
      ...(pairs.every((name) => a.keys?.[name] === undefined) ? {} : { pairsOfScopes: true }),
      bindings: bindingsOf(bindings)
    },
    keys: { a: keysOf(a.keys), b: keysOf(b.keys) }
  }
  const wrong = contradiction(loaded)
  return wrong === undefined ? loaded : yield* new Refused({ message: `The config contradicts itself: ${wrong}` })
})
