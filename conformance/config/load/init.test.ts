import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Layer, Option, Queue, Redacted, Terminal } from "effect"
import { init } from "./init.ts"
import { load } from "./load.ts"

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

const answers = "https://staging.example/\n\nacme/app\nacme/web\nbeta/app\nx-api-key: {key}\n"

describe("a config from the init dialog", () => {
  it.live("holds what was typed, in a file that only its owner can read", () =>
    Effect.gen(function* () {
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
  )

  it.live("leaves the keys to the environment, and names their variables", () =>
    Effect.gen(function* () {
      const scoped = ["BUILDS", "PREVIEW_UPLOAD", "TEST_RUNS"]
      const names = [
        "KEY_A_ALL",
        ...scoped.map((name) => `KEY_A_${name}`),
        ...scoped.map((name) => `KEY_A_WITHOUT_${name}`),
        "KEY_B_ALL"
      ].map((name) => `SLIPWAY_CONFORMANCE_${name}`)
      const { variables } = yield* asked(
        `${answers}n`,
        Object.fromEntries(names.map((name) => [name, `key of ${name}`]))
      )
      assert.deepStrictEqual(variables, names)
    })
  )
})
