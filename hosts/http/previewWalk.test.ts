/** The random walks over previews and runs of core/testing, over real HTTP on every set of engines. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layer } from "../../core/testing/layer.ts"
import { PreviewWalk, walkPreviews, type PreviewWorld } from "../../core/testing/previewWalk.ts"
import { testEngines } from "./testing/engines.ts"
import * as previews from "./testing/previews.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { asProblem, bytes, put, sha256 } from "./testing/uploads.ts"

interface Ticket {
  readonly token: string
  readonly putUrl: string
  readonly contentType: string
  readonly content: string
}

const code = (answer: HttpResponse) => Effect.map(asProblem(answer.json), (problem) => problem.code)

const seenPreview = Effect.fnUntraced(function* (answer: HttpResponse) {
  const { status } = yield* previews.asMetadata(answer.json)
  return { status, text: answer.text }
})

const overHttp = Effect.gen(function* () {
  const host = yield* TestHost
  const scopes = ["preview_upload", "test_runs", "delete"] as const
  const accounts = [yield* newAccount(scopes), yield* newAccount(scopes)] as const
  const onHost = <A, E>(effect: Effect.Effect<A, E, TestHost>) =>
    effect.pipe(Effect.provideService(TestHost, host), Effect.orDie)

  const remove = Effect.fnUntraced(function* (who: 0 | 1, path: string) {
    return (yield* host.call("DELETE", `/api/v1/${path}`, { key: accounts[who].key })).status === 204
  })

  const world: PreviewWorld<Ticket> = {
    reserve: Effect.fnUntraced(function* (who: 0 | 1, content: string) {
      const { owner, repo } = accounts[who]
      const declared = { contentHash: sha256(bytes(content)), bundleSizeBytes: content.length, owner, repo }
      const answer = yield* previews.postPreview(accounts[who], previews.previewBody(declared))
      const { shareId, slots, token } = yield* previews.asPreviewReservation(answer.json)
      return { shareId, ticket: { ...slots.bundle, token, content } }
    }, onHost),
    put: ({ content, ...slot }, right) => Effect.asVoid(put(slot, bytes(right ? content : content.toUpperCase()))),
    finalize: Effect.fnUntraced(function* (who: 0 | 1, { token }: Ticket) {
      const answer = yield* previews.finalizePreview(accounts[who], token)
      return answer.status === 201 ? yield* seenPreview(answer) : yield* code(answer)
    }, onHost),
    read: Effect.fnUntraced(function* (who: 0 | 1, shareId: string) {
      const answer = yield* host.call("GET", `/api/v1/previews/${shareId}`, { key: accounts[who].key })
      return answer.status === 200 ? yield* seenPreview(answer) : undefined
    }, onHost),
    register: Effect.fnUntraced(function* (who: 0 | 1, shareId: string, status: string) {
      const answer = yield* previews.register(accounts[who], previews.runBody(accounts[who], shareId, { status }))
      return answer.status === 201 ? yield* previews.asRun(answer.json) : yield* code(answer)
    }, onHost),
    runs: Effect.fnUntraced(function* (who: 0 | 1) {
      const { key, owner, repo } = accounts[who]
      const answer = yield* host.call("GET", `/api/v1/test-runs?org=${owner}&repo=${repo}&limit=100`, { key })
      return (yield* previews.asRuns(answer.json)).testRuns
    }, onHost),
    delete: (who, shareId) => remove(who, `previews/${shareId}`),
    deleteRun: (who, id) => remove(who, `test-runs/${id}`),
    wait: (minutes) => TestClock.adjust(`${minutes} minutes`)
  }
  return world
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(
    `whatever is sent of previews, on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect.prop(
        "the host keeps what the interface promises",
        { steps: PreviewWalk },
        ({ steps }) => Effect.flatMap(overHttp, (world) => walkPreviews(world, steps)),
        { arbitrary: { runs: 25 } }
      )
    }
  )
}
