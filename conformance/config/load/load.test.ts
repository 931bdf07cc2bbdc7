import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Option, Queue, Redacted, Terminal } from "effect"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Ajv2020 } from "ajv/dist/2020.js"
import { it } from "../../../core/testing/layer.ts"
import { exampleTarget } from "../../testing/example.ts"
import { configSchema, init, load } from "./load.ts"
import { defaultBindings, unlinkedRepository } from "../Config.ts"
import { variables } from "./variables.ts"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fairHosts } from "../../fair/hosts.ts"
import { fairTarget } from "../../testing/target.ts"

type Flags = Parameters<typeof load>[0]["flags"]

/** The smallest valid file. */
const least = {
  url: "https://staging.example/",
  accounts: {
    a: {
      linked: { owner: "acme", repo: "app" },
      keys: { all: "key-1", builds: "key-2", previewUpload: "key-3", testRuns: "key-4" }
    },
    b: { linked: { owner: "beta", repo: "app" }, keys: { all: "key-5" } }
  }
}

const loading = (
  text: string,
  options: { readonly environment?: Record<string, string>; readonly flags?: Flags } = {}
) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const folder = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${folder}/vendor.json`, text)
    return yield* load({ file: `${folder}/vendor.json`, flags: options.flags ?? [] })
  }).pipe(
    Effect.scoped,
    Effect.provide([
      NodeServices.layer,
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: options.environment ?? {} }))
    ])
  )

const loadingJson = (json: unknown, options: Parameters<typeof loading>[1] = {}) =>
  loading(JSON.stringify(json), options)

const refusal = (json: unknown, options: Parameters<typeof loading>[1] = {}) =>
  Effect.map(Effect.flip(loadingJson(json, options)), ({ message }) => message)

describe("a config", () => {
  it.effect("has Slipway's defaults where the file says nothing, and keeps the keys apart", function* () {
    const { config, keys } = yield* loadingJson(least)
    assert.strictEqual(config.url, "https://staging.example")
    assert.deepStrictEqual(config.profiles, ["builds", "previews", "testRuns"])
    assert.deepStrictEqual(config.accounts.b, {
      linked: { owner: "beta", repo: "app" },
      unlinked: unlinkedRepository
    })
    assert.deepStrictEqual(config.bindings, defaultBindings)
    assert.notInclude(JSON.stringify(config), "key-")
    assert.strictEqual(Redacted.value(keys.a.testRuns ?? Redacted.make("")), "key-4")
    assert.notInclude(JSON.stringify(keys), "key-")
  })

  it.effect("prefers the environment to the file, and a flag to both", function* () {
    const { config, keys } = yield* loadingJson(
      { ...least, windowMs: 5, timeoutMs: 500 },
      {
        environment: {
          SLIPWAY_CONFORMANCE_URL: "https://env.example",
          SLIPWAY_CONFORMANCE_WINDOW_MS: "7",
          SLIPWAY_CONFORMANCE_PROFILES: "builds, testRuns",
          SLIPWAY_CONFORMANCE_A_UNLINKED: "group/sub/repo",
          SLIPWAY_CONFORMANCE_KEY_B_ALL: "key-of-the-environment",
          SLIPWAY_CONFORMANCE_SHARE_ID: "s",
          SLIPWAY_CONFORMANCE_CONCURRENCY: ""
        },
        flags: [["--url", "url", "https://flag.example"]]
      }
    )
    assert.deepInclude(config, { url: "https://flag.example", windowMs: 7, timeoutMs: 500, concurrency: 8 })
    assert.deepStrictEqual(config.profiles, ["builds", "testRuns"])
    assert.deepStrictEqual(config.accounts.a.unlinked, { owner: "group/sub", repo: "repo" })
    assert.deepStrictEqual(config.supplied, { shareId: "s" })
    assert.strictEqual(Redacted.value(keys.b.all ?? Redacted.make("")), "key-of-the-environment")
  })

  it.effect("can come from the environment alone", function* () {
    const said: Readonly<Record<string, string>> = {
      url: "https://x.example",
      viewerUrl: "https://x.example/viewer",
      profiles: "builds",
      concurrency: "64",
      "supplied.buildPlatform": "ios"
    }
    const environment = Object.fromEntries(
      variables.map(({ name, path }, index) => {
        if (path.includes("keys")) return [name, `key-${index}`]
        return [name, /(?:LINKED|SECOND)$/.test(name) ? `acme/app-${index}` : (said[path.join(".")] ?? "1000")]
      })
    )
    const { config } = yield* loadingJson({}, { environment })
    assert.strictEqual(config.deadlineMs, 1000)
    assert.deepStrictEqual(config.supplied, {
      buildId: "1000",
      buildBranch: "1000",
      buildPlatform: "ios",
      shareId: "1000"
    })
  })

  it.effect("can set some bindings, and has Slipway's defaults for the rest", function* () {
    const bindings = { answers: { token: "/data/t" }, bodies: { file: { name: "{path}" } }, passed: true }
    const { config } = yield* loadingJson({ ...least, bindings })
    assert.deepStrictEqual(config.bindings, {
      ...defaultBindings,
      answers: { token: "/data/t" },
      bodies: { ...defaultBindings.bodies, file: { name: "{path}" } },
      passed: true
    })
  })

  it.effect("names every missing setting with its variable", function* () {
    assert.strictEqual(
      yield* refusal({}),
      "The config lacks url (SLIPWAY_CONFORMANCE_URL), accounts.a.linked (SLIPWAY_CONFORMANCE_A_LINKED), " +
        "accounts.a.keys.all (SLIPWAY_CONFORMANCE_KEY_A_ALL), accounts.b.keys.all (SLIPWAY_CONFORMANCE_KEY_B_ALL)"
    )
  })

  const mismatches: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["a field that there is not", { ...least, tiemoutMs: 1 }, /tiemoutMs/],
    ["a base URL with a query", { ...least, url: "https://x.example/?a=b" }, /url: must be an http or https URL/],
    [
      "a base URL with a password",
      { ...least, url: "https://me:secret@x.example" },
      /url: must be an http or https URL/
    ],
    ["a base URL that is none", { ...least, url: "https://[x" }, /is not a URL/],
    ["no profile", { ...least, profiles: [] }, /profiles/],
    ["a profile that there is not", { ...least, profiles: ["builds", "pages"] }, /profiles\.1/],
    ["a window too long", { ...least, windowMs: 1e9 }, /windowMs: must be a whole number from 0 to 60000/],
    [
      "a pointer that is none",
      { ...least, bindings: { answers: { token: "data" } } },
      /bindings\.answers\.token: must be a JSON Pointer/
    ],
    [
      "a key header without a key",
      { ...least, bindings: { key: { header: "a", value: "b" } } },
      /bindings\.key\.value: must have \{key\}/
    ],
    [
      "a place that nothing fills",
      { ...least, bindings: { bodies: { file: { a: "{pth}" } } } },
      /bindings\.bodies\.file has a place \{pth\}/
    ],
    [
      "a pattern that is none",
      { ...least, bindings: { answers: { buildIdPattern: "(" } } },
      /buildIdPattern is not a regular expression/
    ],
    [
      "one repository for both",
      { ...least, accounts: { ...least.accounts, b: { ...least.accounts.b, linked: { owner: "ACME", repo: "app" } } } },
      /accounts\.a\.linked and accounts\.b\.linked are the same/
    ],
    [
      "a linked one as unlinked",
      {
        ...least,
        accounts: { ...least.accounts, a: { ...least.accounts.a, unlinked: { owner: "acme", repo: "APP" } } }
      },
      /accounts\.a\.linked and accounts\.a\.unlinked are the same/
    ],
    [
      "one key for two",
      { ...least, accounts: { ...least.accounts, b: { ...least.accounts.b, keys: { all: "key-1" } } } },
      /accounts\.b\.keys\.all is a key that stands elsewhere too/
    ]
  ]
  for (const [what, json, sentence] of mismatches) {
    it.effect(`is refused with ${what}, by its name and without a key`, function* () {
      const message = yield* refusal(json)
      assert.match(message, sentence)
      assert.notMatch(message, /key-\d|secret/)
    })
  }

  it.effect("names the variable or the flag whose value is invalid", function* () {
    const environment = { SLIPWAY_CONFORMANCE_CONCURRENCY: "0" }
    assert.match(yield* refusal(least, { environment }), /concurrency \(SLIPWAY_CONFORMANCE_CONCURRENCY\): must be/)
    assert.match(
      yield* refusal(least, { environment: { SLIPWAY_CONFORMANCE_WINDOW_MS: "1s" } }),
      /^SLIPWAY_CONFORMANCE_WINDOW_MS must be a whole number$/
    )
    assert.match(
      yield* refusal(least, { environment: { SLIPWAY_CONFORMANCE_A_LINKED: "app" } }),
      /^SLIPWAY_CONFORMANCE_A_LINKED must be OWNER\/REPO$/
    )
    assert.match(yield* refusal(least, { flags: [["--url", "url", "x"]] }), /url \(--url\): must be/)
  })

  it.effect("is refused when the file is missing, no JSON or no object", function* () {
    const message = (text: string) => Effect.map(Effect.flip(loading(text)), ({ message }) => message)
    assert.match(yield* message("{"), /vendor\.json is not JSON$/)
    assert.match(yield* message("[]"), /vendor\.json must hold a JSON object$/)
    const missing = yield* Effect.flip(
      Effect.provide(load({ file: "/no/such/file.json", flags: [] }), NodeServices.layer)
    )
    assert.strictEqual(missing.message, "The config file /no/such/file.json can't be read")
  })
})

describe("the JSON Schema of a config file", () => {
  const validate = new Ajv2020({ strict: false, logger: false }).compile(configSchema())

  it("accepts valid files and nothing else", () => {
    assert.isTrue(validate({ ...least, url: "https://staging.example" }), JSON.stringify(validate.errors))
    assert.isTrue(
      validate({ $schema: "./config.schema.json", ...exampleTarget.config }),
      JSON.stringify(validate.errors)
    )
    for (const json of [
      { url: 1 },
      { url: "https://x.example/" },
      { other: 1 },
      { accounts: { a: { keys: { alll: "k" } } } },
      { windowMs: -1 }
    ]) {
      assert.isFalse(validate(json), JSON.stringify(json))
    }
  })

  it("describes every setting", () => {
    const { properties } = Object(configSchema())
    assert.include(properties.windowMs.description, "milliseconds")
    assert.include(properties.bindings.properties.bodies.properties.previewReserve.description, "{recordings}")
  })
})

/** A terminal into which this is typed. */
const typing = (text: string) =>
  Layer.effect(
    Terminal.Terminal,
    Effect.gen(function* () {
      const keys = yield* Queue.unbounded<Terminal.UserInput>()
      for (const character of text) {
        const name = character === "\n" ? "enter" : character
        yield* Queue.offer(keys, {
          input: Option.some(character),
          key: { name, ctrl: false, meta: false, shift: false }
        })
      }
      return Terminal.make({
        columns: Effect.succeed(80),
        rows: Effect.succeed(24),
        size: Effect.never,
        readLine: Effect.never,
        display: () => Effect.void,
        readInput: Effect.succeed(keys)
      })
    })
  )

/**
 * Runs the dialog with these answers in a new folder. Answers the written file and the config that is loaded from it.
 */
const asked = (text: string, environment: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = `${yield* files.makeTempDirectoryScoped()}/vendor.json`
    const { variables } = yield* Effect.provide(init(file), typing(text))
    const { mode } = yield* files.stat(file)
    const again = yield* Effect.flip(Effect.provide(init(file), typing(text)))
    const { config, keys } = yield* load({ file, flags: [] })
    return { variables, config, keys, mode: mode & 0o777, again: again.message }
  }).pipe(
    Effect.scoped,
    Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env: environment }))])
  )

/** With a second repository and all keys, or with what a run needs. */
const answers = "https://staging.example/\n\nacme/app\nybeta/app\nyacme/web\nx-api-key: {key}\n"
const shortest = "https://staging.example/\n\nacme/app\nnx-api-key: {key}\n"

describe("a config from the init dialog", () => {
  it.live("holds what was typed, in a file that only its owner can read", function* () {
    const { again, config, keys, mode, variables } = yield* asked(`${answers}yk1\nk2\nk3\nk4\nk5\nk6\nk7\nk8\n`)
    assert.strictEqual(config.url, "https://staging.example")
    assert.deepStrictEqual(config.profiles, ["builds", "previews", "testRuns"])
    assert.deepStrictEqual(config.accounts.a.linked, { owner: "acme", repo: "app" })
    assert.deepStrictEqual(config.accounts.a.second, { owner: "acme", repo: "web" })
    assert.deepStrictEqual(config.bindings.key, { header: "x-api-key", value: "{key}" })
    assert.isTrue(config.pairsOfScopes)
    assert.deepStrictEqual(
      [...Object.values(keys.a), keys.b.all].map((key) => (key === undefined ? key : Redacted.value(key))),
      ["k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"]
    )
    assert.strictEqual(mode, 0o600)
    assert.deepStrictEqual(variables, [])
    assert.match(again, /^There is a file .+ already$/)
  })

  it.live("leaves the keys to the environment, and names their variables", function* () {
    const variable = (name: string) => `SLIPWAY_CONFORMANCE_KEY_${name}`
    const least = ["A_ALL", "B_ALL"].map(variable)
    const scoped = ["A_BUILDS", "A_PREVIEW_UPLOAD", "A_TEST_RUNS"].map(variable)
    const valuesOf = (names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, `key of ${name}`]))
    const short = yield* asked(`${shortest}n`, valuesOf(least))
    assert.deepStrictEqual(short.variables, least)
    assert.isFalse(short.config.scopedKeys)
    assert.deepStrictEqual(short.config.accounts.b.linked, short.config.accounts.a.linked)
    const whole = yield* asked(`${answers}n`, valuesOf([...least, ...scoped]))
    assert.deepStrictEqual(whole.variables, [...least, ...scoped])
  })
})

// The configs of examples/conformance are those that the suite runs against hosts of these dialects.

const folder = join(import.meta.dirname, "../../../examples/conformance")
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ""))

const key = (name: string) => `key-of-${name}`
const account = (owner: string) => ({
  linked: { owner, repo: "app" },
  keys: Object.fromEntries(["all", "builds", "previewUpload", "testRuns"].map((name) => [name, key(owner + name)]))
})

describe("the dialects of the examples", () => {
  it("are two", () => {
    assert.sameMembers(names, ["enveloped", "eventual"])
  })

  for (const name of names) {
    const text = readFileSync(join(folder, `${name}.json`), "utf8")
    it.live(`${name} is the config of a whole run against that host`, function* () {
      const { host, folder } = yield* Effect.acquireRelease(
        Effect.promise(async () => ({
          host: await (fairHosts[name]?.() ?? Promise.reject(new Error(name))),
          folder: mkdtempSync(join(tmpdir(), "slipway-dialect-"))
        })),
        ({ folder, host }) => Effect.promise(() => (rmSync(folder, { recursive: true, force: true }), host.stop()))
      )
      const file = join(folder, "vendor.json")
      const content = { url: host.url, accounts: { a: account("north"), b: account("south") }, ...JSON.parse(text) }
      writeFileSync(file, JSON.stringify(content))
      const { config } = yield* load({ file, flags: [] }).pipe(Effect.provide(NodeServices.layer))
      const known = fairTarget(host).config
      assert.deepStrictEqual([config.bindings, config.windowMs], [known.bindings, known.windowMs])
    })
  }
})
