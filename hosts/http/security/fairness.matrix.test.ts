/** How many requests of a busy account finish between a request of another account and its answer. */
import { assert } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { signIn, visit } from "../../viewer/testing/visit.ts"
import { testEngines } from "../testing/engines.ts"
import { layer } from "../testing/layer.ts"
import { readyPreview, runBody } from "../testing/previews.ts"
import { newAccount, TestHost, type Answer } from "../testing/TestHost.ts"
import { bundle, commit, finalize, latest, put, reserve } from "../testing/uploads.ts"
import { eventually } from "../testing/watched.ts"

/** The most requests of another account that may finish during a request. */
const most = 8

type Watch = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
type Load = Effect.Effect<unknown, unknown, TestHost | Scope.Scope>

const succeeded = (status: number) => (request: Effect.Effect<Pick<Answer, "status" | "text">, never, TestHost>) =>
  Effect.tap(request, (answer) => Effect.sync(() => assert.strictEqual(answer.status, status, answer.text)))

/** An account with a test run, and what it can request. `watch` is applied to each request that passes through the host. */
const makeAccount = Effect.fnUntraced(function* (watch: Watch) {
  const host = yield* TestHost
  const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const { shareId } = yield* readyPreview(account)
  const cookie = yield* signIn(account.key)
  let made = 0
  const upload: Load = Effect.gen(function* () {
    const { slots, token } = yield* watch(reserve(account, { commitSha: commit((made += 1)) }))
    // A PUT to S3 does not pass through the host.
    const sent = succeeded(200)(put(slots.bundle, bundle))
    yield* slots.bundle.putUrl.startsWith(host.url) ? watch(sent) : sent
    yield* watch(succeeded(201)(finalize(account, token)))
  })
  const list: Load = Effect.suspend(() =>
    watch(
      succeeded(200)(
        host.call("GET", `/api/v1/test-runs?org=${account.owner}&repo=${account.repo}&limit=100`, { key: account.key })
      )
    )
  )
  const register: Load = Effect.suspend(() =>
    watch(
      succeeded(201)(
        host.call("POST", "/api/v1/test-runs", {
          key: account.key,
          body: runBody(account, shareId, { name: `Test ${(made += 1)}` })
        })
      )
    )
  )
  const page: Load = Effect.suspend(() => watch(succeeded(200)(visit("GET", "/", { cookie }))))
  const read: Load = Effect.suspend(() => watch(latest(account)))
  return { upload, list, register, page, read }
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`a busy account on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect(`finishes at most ${most} requests during one of another account`, function* () {
      let [finished, before] = [0, 0]
      const counts: Array<number> = []
      const busy = yield* makeAccount(Effect.tap(() => Effect.sync(() => void (finished += 1))))
      const other = yield* makeAccount((request) =>
        Effect.gen(function* () {
          before = finished
          const answer = yield* request
          counts.push(finished - before)
          return answer
        })
      )
      for (let run = 0; run < 20; run += 1) yield* busy.register

      const loads: Record<string, ReadonlyArray<readonly [load: Load, times: number]>> = {
        "100 uploads": [[busy.upload, 100]],
        "128 registrations": [[busy.register, 128]],
        "128 lists": [[busy.list, 128]],
        "32 lists": [[busy.list, 32]],
        "32 pages": [[busy.page, 32]],
        "all of them": [
          [busy.upload, 100],
          [busy.register, 128],
          [busy.list, 128]
        ]
      }
      for (const [name, load] of Object.entries(loads)) {
        const begun = finished
        const busyFibers = yield* Effect.forEach(load, ([one, times]) =>
          Effect.forkChild(Effect.replicateEffect(Effect.forever(one), times, { concurrency: "unbounded" }))
        )
        yield* eventually(() => finished >= begun + 32)
        counts.length = 0
        for (const one of [other.upload, other.list, other.register, other.page, other.read]) {
          yield* one
          yield* one
        }
        assert.isAtMost(Math.max(...counts), most, `${name}: ${counts.join()}`)
        yield* Fiber.interruptAll(busyFibers)
      }
    })
  })
}
