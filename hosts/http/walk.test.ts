/** The random walks of core/testing, over real HTTP on every set of engines. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../core/testing/layer.ts"
import { Walk, walk, type BuildWorld, type Seen } from "../../core/testing/buildWalk.ts"
import { testEngines } from "./testing/engines.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { asProblem, asRow, bytes, commit, finalize, latest, put, read, reserve, sha256 } from "./testing/uploads.ts"

const seen = Effect.fnUntraced(function* (answer: HttpResponse) {
  const { id, status } = yield* asRow(answer.json)
  return { id, status, text: answer.text } satisfies Seen
})

const outcome = Effect.fnUntraced(function* (answer: HttpResponse) {
  return answer.status === 201 ? yield* seen(answer) : (yield* asProblem(answer.json)).code
})

const overHttp = Effect.gen(function* () {
  const host = yield* TestHost
  const accounts = [yield* newAccount(["builds", "delete"]), yield* newAccount(["builds", "delete"])] as const
  const found = (answer: Effect.Effect<HttpResponse, never, TestHost>) =>
    Effect.flatMap(answer, (one) => (one.status === 200 ? seen(one) : Effect.undefined)).pipe(
      Effect.provideService(TestHost, host),
      Effect.orDie
    )
  type Ticket = {
    readonly token: string
    readonly putUrl: string
    readonly contentType: string
    readonly content: string
  }
  const world: BuildWorld<Ticket> = {
    reserve: (step) =>
      reserve(accounts[step.who], {
        branch: step.branch,
        commitSha: commit(step.commit),
        contentHash: sha256(bytes(step.content)),
        bundleSizeBytes: step.content.length
      }).pipe(
        Effect.map(({ id, slots, token }) => ({ id, ticket: { ...slots.bundle, token, content: step.content } })),
        Effect.provideService(TestHost, host),
        Effect.orDie
      ),
    put: (ticket, right) => Effect.asVoid(put(ticket, bytes(right ? ticket.content : ticket.content.toUpperCase()))),
    finalize: (who, { token }) =>
      finalize(accounts[who], token).pipe(Effect.flatMap(outcome), Effect.provideService(TestHost, host), Effect.orDie),
    read: (who, id) => found(read(accounts[who], id)),
    latest: (who, branch) => found(latest(accounts[who], { branch })),
    delete: Effect.fnUntraced(function* (who: 0 | 1, id: string) {
      const answer = yield* host.call("DELETE", `/api/v1/builds/${id}`, { key: accounts[who].key })
      return answer.status === 204
    }),
    wait: (minutes) => TestClock.adjust(`${minutes} minutes`)
  }
  return world
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`whatever is sent, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect.prop(
      "the host keeps what the interface promises",
      { steps: Walk },
      ({ steps }) => Effect.flatMap(overHttp, (world) => walk(world, steps)),
      { arbitrary: { runs: 25 } }
    )
  })
}
