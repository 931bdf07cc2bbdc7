/** Deleting builds, previews and runs over real HTTP. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { CreateShareLinkResponse } from "../../core/api/shareLinks.ts"
import { InsufficientScope } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { testEngines } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import * as previews from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import * as builds from "./testing/uploads.ts"

const everyScope = ["builds", "preview_upload", "test_runs", "delete"] as const
const owner = newAccount(everyScope)

const asScopes = Schema.decodeUnknownEffect(InsufficientScope)
const asShared = Schema.decodeUnknownEffect(CreateShareLinkResponse)

const call = Effect.fnUntraced(function* (
  method: string,
  { key }: Pick<builds.Account, "key">,
  path: string,
  body?: unknown
) {
  const host = yield* TestHost
  return yield* host.call(method, `/api/v1/${path}`, { key, body, headers: { "x-request-id": "one" } })
})

const remove = (account: Pick<builds.Account, "key">, path: string) => call("DELETE", account, path)

const assertGone = Effect.fnUntraced(function* (answer: HttpResponse) {
  assert.strictEqual((yield* refusal(answer, 404, "not_found")).code, "not_found")
})

/** Deletes, expecting 204 and no body. */
const deleted = Effect.fnUntraced(function* (account: Pick<builds.Account, "key">, path: string) {
  const answer = yield* remove(account, path)
  assert.strictEqual(answer.status, 204, answer.text)
  assert.strictEqual(answer.text, "")
})

/** One of each resource of a new account, and their paths. */
const prepared = Effect.gen(function* () {
  const account = yield* owner
  const { row } = yield* builds.readyBuild(account)
  const { shareId } = yield* previews.readyPreview(account)
  const run = yield* previews.registered(account, shareId)
  const paths = [
    { path: `builds/${row.id}`, scope: "builds" },
    { path: `previews/${shareId}`, scope: "preview_upload" },
    { path: `test-runs/${run.id}`, scope: "test_runs" }
  ] as const
  return { account, build: row, shareId, run, paths }
})

for (const plain of testEngines()) {
  let objects: ObjectStore["Service"] | undefined
  const tapped = Layer.effectDiscard(Effect.map(ObjectStore, (store) => void (objects = store)))
  const engines = { ...plain, ports: Layer.provideMerge(tapped, plain.ports) }

  /** The keys of everything that is stored, of every account. */
  const stored = Effect.suspend(() => {
    const store = objects ?? assert.fail("the engines are not open")
    return Effect.map(Effect.all([store.list("hosted/"), store.list("uploads/")]), (all) =>
      all.flat().map(({ key }) => key)
    )
  })

  layer(TestHost.layer(engines))(`deleting on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("answers 204, and 404 from the next request on; nothing else is deleted", function* () {
      const { account, build, paths, shareId } = yield* prepared
      const others = yield* prepared
      const kept = yield* builds.readyBuild(account, { commitSha: builds.commit(2) })
      for (const { path } of paths.toReversed()) {
        yield* deleted(account, path)
        yield* assertGone(yield* remove(account, path))
      }
      yield* assertGone(yield* builds.read(account, build.id))
      yield* assertGone(yield* previews.readPreview(account, shareId))
      assert.deepStrictEqual((yield* previews.listed(account)).testRuns, [])
      assert.strictEqual((yield* builds.asRow((yield* builds.latest(account)).json)).id, kept.row.id)
      assert.strictEqual((yield* builds.read(account, kept.row.id)).text, (yield* builds.latest(account)).text)
      assert.strictEqual((yield* builds.read(others.account, others.build.id)).status, 200)
      assert.strictEqual((yield* previews.readPreview(others.account, others.shareId)).status, 200)
      assert.strictEqual((yield* previews.listed(others.account)).testRuns.length, 1)
    })

    it.effect("removes the bytes, those of uploads under way too, and no others", function* () {
      const account = yield* owner
      const before = yield* stored
      const { row } = yield* builds.readyBuild(account)
      const again = yield* builds.reserve(account)
      yield* builds.put(again.slots.bundle, builds.bundle)
      const { shareId } = yield* previews.readyPreview(account)
      const open = yield* previews.uploadFull(account)
      assert.isAbove((yield* stored).length, before.length + 5)
      yield* deleted(account, `builds/${row.id}`)
      yield* deleted(account, `previews/${shareId}`)
      yield* deleted(account, `previews/${open.shareId}`)
      assert.sameMembers(yield* stored, before)
    })

    it.effect("needs the scope of the group and delete, and names them; without them nothing is deleted", function* () {
      const { account, build, paths, shareId } = yield* prepared
      const { admin } = yield* TestHost
      for (const { path, scope } of paths) {
        for (const held of [scope, "delete"] as const) {
          const { key } = yield* admin.createKey({ account: account.name, name: "less", scopes: [held] })
          const answer = yield* remove({ key }, path)
          yield* refusal(answer, 403, "insufficient_scope")
          assert.deepStrictEqual((yield* asScopes(answer.json)).requiredScopes, [scope, "delete"])
        }
      }
      assert.strictEqual((yield* builds.read(account, build.id)).status, 200)
      assert.strictEqual((yield* previews.readPreview(account, shareId)).status, 200)
      assert.strictEqual((yield* previews.listed(account)).testRuns.length, 1)
    })

    it.effect(
      "a build whose repository is not linked can't be deleted, and is there when it is linked again",
      function* () {
        const { account, build } = yield* prepared
        const { admin } = yield* TestHost
        const repository = { account: account.name, owner: account.owner, repo: account.repo }
        yield* admin.unlinkRepository(repository)
        yield* assertGone(yield* remove(account, `builds/${build.id}`))
        yield* admin.linkRepository(repository)
        assert.strictEqual((yield* builds.read(account, build.id)).status, 200)
      }
    )

    it.effect(
      "a PUT whose upload is deleted stores nothing that stays, where the host serves the URL itself",
      function* () {
        if (engines.objects === "S3") return
        const account = yield* owner
        const before = yield* stored
        const { id, slots } = yield* builds.reserve(account)
        yield* deleted(account, `builds/${id}`)
        assert.strictEqual((yield* builds.put(slots.bundle, builds.bundle)).status, 403)
        assert.sameMembers(yield* stored, before)
      }
    )

    it.effect("a preview's runs stay, its share links end, and no run can be registered against it", function* () {
      const { account, run, shareId } = yield* prepared
      const share = yield* asShared((yield* call("POST", account, `previews/${shareId}/shares`)).json)
      yield* deleted(account, `previews/${shareId}`)
      assert.deepStrictEqual((yield* previews.listed(account)).testRuns, [run])
      yield* assertGone(yield* call("GET", account, `previews/${shareId}/shares`))
      yield* assertGone(yield* remove(account, `previews/${shareId}/shares/${share.id}`))
      yield* assertGone(yield* previews.register(account, previews.runBody(account, shareId)))
      yield* deleted(account, `test-runs/${run.id}`)
      assert.deepStrictEqual((yield* previews.listed(account)).testRuns, [])
    })

    it.effect("what an idempotency key answered is answered again, and what it names is not found", function* () {
      const host = yield* TestHost
      const account = yield* owner
      const request = {
        key: account.key,
        body: builds.reserveBody(account),
        headers: { "idempotency-key": "again" }
      }
      const first = yield* host.call("POST", "/api/v1/builds", request)
      const { id, token } = yield* builds.asReservation(first.json)
      yield* deleted(account, `builds/${id}`)
      const second = yield* host.call("POST", "/api/v1/builds", request)
      assert.deepStrictEqual([second.status, second.text], [201, first.text])
      yield* assertGone(yield* builds.finalize(account, token))
      yield* assertGone(yield* builds.read(account, id))
    })

    it.effect("what was billed stays billed", function* () {
      const { admin } = yield* TestHost
      const account = yield* owner
      const { shareId } = yield* previews.readyPreview(account, { billingKind: "test_run" })
      yield* deleted(account, `previews/${shareId}`)
      const { months } = yield* admin.usage({ account: account.name })
      assert.deepStrictEqual(
        months.map(({ billedTestRuns }) => billedTestRuns),
        [1]
      )
    })

    it.effect("of concurrent deletions of one resource, one is answered 204 and the others 404", function* () {
      const { account, paths } = yield* prepared
      for (const { path } of paths) {
        const answers = yield* Effect.forEach([1, 2, 3, 4, 5], () => remove(account, path), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [204, 404, 404, 404, 404])
      }
    })
  })
}
