/** Each wrong setting ends before the run, quickly, with a hint that names it. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { it } from "../../core/testing/layer.ts"
import type { Config } from "../config/Config.ts"
import { toResponse, Transport, type Outgoing } from "../session/transport.ts"
import { inProcess, type Target } from "../testing/target.ts"
import { look } from "./plan.ts"

type Change = (target: Target) => Target

const withConfig =
  (change: (config: Config) => Partial<Config>): Change =>
  (target) => ({ ...target, config: { ...target.config, ...change(target.config) } })

const page = toResponse(200, { "content-type": "text/html" }, "<!DOCTYPE html><title>Welcome</title>")
const missing = toResponse(404, {}, "Not Found")

const cases: Readonly<Record<string, readonly [hint: RegExp, change: Change]>> = {
  "a key in another header than the target reads": [
    /bindings\.key: every key is refused \(401\); the run sends it as "x-key: \{key\}"/,
    withConfig(({ bindings }) => ({ bindings: { ...bindings, key: { header: "x-key", value: "{key}" } } }))
  ],
  "a key that the target doesn't know": [
    /accounts\.a\.keys\.builds: the target doesn't know this key/,
    ({ config, keys }) => ({ config, keys: { ...keys, a: { ...keys.a, builds: Redacted.make("nobody's") } } })
  ],
  "keys of two scopes exchanged": [
    /accounts\.a\.keys\.builds: refused to read builds \(403\); has it that scope\?\n.*accounts\.a\.keys\.testRuns/,
    ({ config, keys: { a, b } }) => {
      const { builds = Redacted.make(""), testRuns = Redacted.make("") } = a
      return { config, keys: { a: { ...a, builds: testRuns, testRuns: builds }, b } }
    }
  ],
  "the keys of two accounts exchanged": [
    /a violation of auth\.visibility, unless the config has the keys of accounts\.a and accounts\.b exchanged/,
    ({ config, keys: { a, b } }) => ({
      config,
      keys: { a: { all: b.all ?? Redacted.make("") }, b: { all: a.all ?? Redacted.make("") } }
    })
  ],
  "a repository that isn't linked": [
    /accounts\.b\.linked: the runs of nobody\/nothing are refused/,
    withConfig(({ accounts: { a, b } }) => ({
      accounts: { a, b: { ...b, linked: { owner: "nobody", repo: "nothing" } } }
    }))
  ],
  "a URL that ends in /api/v1": [/url: .*leave \/api\/v1 out/, withConfig(({ url }) => ({ url: `${url}/api/v1` }))]
}

const looked = (change: Change, answer?: ReturnType<typeof toResponse>) =>
  Effect.gen(function* () {
    const { target, transport } = yield* inProcess
    const { config, keys } = change(target)
    let asked = 0
    const send = (request: Outgoing) => {
      asked += 1
      // One read for each key, side by side, and then at most two more: two waits, which end within five seconds.
      assert.isAtMost(asked, 16)
      assert.isAtMost(2 * request.timeoutMs, 5000)
      return answer === undefined ? transport.send(request) : Effect.succeed(answer)
    }
    return yield* Effect.provide(look(config, keys), Layer.succeed(Transport, Transport.of({ send })))
  }).pipe(Effect.scoped)

const mustRefuse = Effect.fnUntraced(function* (hint: RegExp, change: Change, answer?: ReturnType<typeof toResponse>) {
  const { message } = yield* Effect.flip(looked(change, answer))
  assert.match(message, hint)
  assert.isAtMost(message.split("\n").length, 10)
})

describe("a look before a run", () => {
  it.live("passes where every setting fits", () => looked((target) => target))

  for (const [name, [hint, change]] of Object.entries(cases)) {
    it.live(`names the setting: ${name}`, () => mustRefuse(hint, change))
  }

  it.live("passes where every list of runs is empty", () => looked(withConfig(() => ({ profiles: ["testRuns"] }))))

  it.live("names the URL where a page of HTML answers, and where nothing of the interface is", function* () {
    yield* mustRefuse(/url: .* returns a page of HTML for every read/, (target) => target, page)
    yield* mustRefuse(/url, bindings\.key: every read returns 404/, (target) => target, missing)
  })
})
