/**
 * Valid requests of a key that may delete, changed at random: exactly the accepted deletions are carried out, and only
 * of the own account.
 */
import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { Effect, Schema } from "effect"
import { inMemory } from "../testing/engines.ts"
import { TestHost } from "../testing/TestHost.ts"
import { layer } from "../../../core/testing/layer.ts"
import { Change, changed } from "./testing/changes.ts"
import { asDeclared } from "./testing/asDeclared.ts"
import { newHoldings, type Holdings } from "./testing/holdings.ts"
import { seed } from "./testing/seed.ts"
import { snapshot } from "./testing/snapshot.ts"
import { faultsOf } from "./testing/sound.ts"
import { deletions, validRequests } from "./testing/validRequests.ts"
import { send, shown, shownResponse, wire, type WireResponse, type WireRequest } from "./testing/wire.ts"

/** With the requests of `fuzz.matrix.test.ts`, on two sets of engines, they are 50,000. */
const requests = 10_000

/** After this many requests there is a new account, because little of the one before is left. */
const renewedEvery = 500

const Fuzzed = Schema.Struct({
  request: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 999 })),
  changes: Schema.Array(Change).check(Schema.isMaxLength(3))
})

const decoded = (target: string): string => {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

/** Whether an answer says that what its request names is deleted; a share link that was revoked is not, nor what it opened. */
const isDeletion = ({ method, target }: WireRequest, { status }: WireResponse): boolean =>
  (method === "DELETE" && status === 204 && !/\/shares\//i.test(decoded(target))) ||
  (method === "POST" && status === 303 && /\/delete\/?(?:[?;]|$)/i.test(decoded(target)))

const thingsOf = ({ build, openBuild, openPreview, preview, runs }: Holdings) => [
  ["build", `/builds/${build.id}`, build.id],
  ["open build", `/builds/${openBuild.id}`, openBuild.id],
  ["preview", `/previews/${preview.shareId}`, preview.shareId],
  ["open preview", `/previews/${openPreview.shareId}`, openPreview.shareId],
  ["failed run", `/runs/${runs.failed}`, runs.failed],
  ["passed run", `/runs/${runs.passed}`, runs.passed]
]

layer(TestHost.layer(inMemory, { rates: {} }))("fuzzed requests of a key that may delete", (it) => {
  it.effect(`${requests} of them are answered soundly, and delete only what they were accepted for`, function* () {
    const { admin, url } = yield* TestHost
    const others = yield* newHoldings
    const undeclared = yield* asDeclared(url)
    const kept = yield* snapshot(others)
    let own = yield* newHoldings
    let valid = [...validRequests(own), ...deletions(own)]
    let faults = faultsOf([...own.secrets, ...others.secrets])
    let accepted: Array<string> = []
    let count = 0
    let deleted = 0

    /** Exactly the accepted deletions of the account are carried out. Read with a key that stays valid. */
    const readBack = Effect.gen(function* () {
      assert.deepStrictEqual(yield* snapshot(others), kept, "of another account")
      const looking = yield* admin.createKey({
        account: own.name,
        name: "looks",
        scopes: ["builds", "preview_upload", "test_runs"]
      })
      const signedIn = yield* send(url, wire("POST", "/sign-in", { form: { key: looking.key, to: "/" } }))
      const cookie = String(signedIn.headers["set-cookie"]?.[0]?.split(";")[0])
      for (const [name, path = "", id = ""] of thingsOf(own)) {
        const { status } = yield* send(url, wire("GET", path, { cookie }))
        const isGone = status === 404 || (status === 410 && path.startsWith("/previews/"))
        const wasAccepted = accepted.some((target) => target.includes(id))
        assert.strictEqual(isGone, wasAccepted, `the ${name} is deleted (${status}), and that was accepted`)
        if (isGone) deleted += 1
      }
    })

    const holds = Effect.fnUntraced(function* ({ changes, request }: typeof Fuzzed.Type) {
      const asked = changes.reduce(changed, valid[Math.floor((request / 1000) * valid.length)]!)
      const answer = yield* send(url, asked)
      if (isDeletion(asked, answer)) accepted.push(decoded(asked.target))
      const found = [...faults(asked, answer), ...undeclared(asked, answer)]
      if (found.length > 0) {
        assert.fail(`${found.join("; ")}, in answer to\n${shown(asked)}\n\n${shownResponse(answer)}`)
      }
      if (++count % renewedEvery === 0) {
        yield* readBack
        own = yield* newHoldings
        valid = [...validRequests(own), ...deletions(own)]
        faults = faultsOf([...own.secrets, ...others.secrets])
        accepted = []
      }
    })

    const outcome = yield* Arbitrary.checkEffect(
      Arbitrary.schema(Fuzzed),
      (fuzzed: typeof Fuzzed.Type) => Effect.as(Effect.catchDefect(holds(fuzzed), Effect.fail), true),
      { runs: requests, seed, size: 6 }
    )
    const failure = Arbitrary.formatCheckFailure(outcome)
    if (failure !== undefined) assert.fail(`SLIPWAY_TEST_SEED=${seed}\n${failure}`)
    assert.isAbove(deleted, 0)
    process.stdout.write(`${deleted} resources deleted\n`)
  })
})
