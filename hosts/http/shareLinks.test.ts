/** Share links over real HTTP: only the owner of a resource can create, list and revoke its links. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { CreateShareLinkResponse, ShareLinkList } from "../../core/api/shareLinks.ts"
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { readyPreview, registered, reservePreview, uploader } from "./testing/previews.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { readyBuild, type Account } from "./testing/uploads.ts"

const viewerUrl = "https://viewer.example"
const asMade = Schema.decodeUnknownEffect(CreateShareLinkResponse)
const asList = Schema.decodeUnknownEffect(ShareLinkList)

const call = Effect.fnUntraced(function* (method: string, { key }: Pick<Account, "key">, path: string, body?: unknown) {
  const host = yield* TestHost
  return yield* host.call(method, `/api/v1/${path}`, { key, body, headers: { "x-request-id": "one" } })
})

const make = Effect.fnUntraced(function* (account: Account, path: string, body?: unknown) {
  const answer = yield* call("POST", account, `${path}/shares`, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return yield* asMade(answer.json)
})

const listOf = Effect.fnUntraced(function* (account: Account, path: string) {
  const answer = yield* call("GET", account, `${path}/shares`)
  assert.strictEqual(answer.status, 200, answer.text)
  return (yield* asList(answer.json)).shares
})

/** An account, and the API paths of a ready preview, a run and a build. */
const prepared = Effect.gen(function* () {
  const account = yield* newAccount(["builds", "preview_upload", "test_runs"])
  const { shareId } = yield* readyPreview(account)
  const run = yield* registered(account, shareId)
  const { reservation: build } = yield* readyBuild(account)
  return { account, shareId, paths: [`previews/${shareId}`, `test-runs/${run.id}`, `builds/${build.id}`] as const }
})

layer(TestHost.layer(inMemory, { viewerUrl }))("share links", (it) => {
  it.effect(
    "a link's URL is shown once, it lives a week by default, and lists show it newest first without its secret",
    function* () {
      const { account, paths } = yield* prepared
      for (const path of paths) {
        const first = yield* make(account, path, undefined)
        const second = yield* make(account, path, { expiresInSeconds: 60 })
        assert.match(first.url, /^https:\/\/viewer\.example\/shared\/[0-9A-Za-z]{32}$/)
        assert.notStrictEqual(first.url, second.url)
        assert.strictEqual(first.expiresAt.epochMilliseconds - first.createdAt.epochMilliseconds, 7 * 86_400_000)
        assert.strictEqual(second.expiresAt.epochMilliseconds - second.createdAt.epochMilliseconds, 60_000)
        const answer = yield* call("GET", account, `${path}/shares`)
        assert.notInclude(answer.text, "shared/")
        const { shares } = yield* asList(answer.json)
        assert.deepStrictEqual(
          shares.map(({ id }) => id),
          [second.id, first.id]
        )
      }
    }
  )

  it.effect("a link can be revoked only at the resource that it opens", function* () {
    const { account, paths } = yield* prepared
    const { id } = yield* make(account, paths[0])
    yield* refusal(yield* call("DELETE", account, `${paths[1]}/shares/${id}`), 404, "not_found")
    yield* refusal(yield* call("DELETE", account, `${paths[0]}/shares/nothing`), 404, "not_found")
    assert.isUndefined((yield* listOf(account, paths[0]))[0]?.revokedAt)
  })

  it.effect("a preview that is not finalized can't be shared yet", function* () {
    const account = yield* uploader
    const { shareId } = yield* reservePreview(account)
    yield* refusal(yield* call("POST", account, `previews/${shareId}/shares`, {}), 409, "preview_not_ready")
    assert.lengthOf(yield* listOf(account, `previews/${shareId}`), 0)
  })

  it.effect("the life is a minute to 90 days; anything else is refused by name", function* () {
    const { account, paths } = yield* prepared
    for (const expiresInSeconds of [59, 90 * 86_400 + 1, -1, 60.5, "60", null]) {
      const answer = yield* call("POST", account, `${paths[0]}/shares`, { expiresInSeconds })
      assert.deepStrictEqual(yield* issuePaths(answer), ["expiresInSeconds"])
    }
    assert.lengthOf(yield* listOf(account, paths[0]), 0)
    const unknown = yield* call("POST", account, `${paths[0]}/shares`, { expires: "1d" })
    assert.deepStrictEqual(yield* issuePaths(unknown), ["expires"])
    yield* make(account, paths[0], { expiresInSeconds: 90 * 86_400 })
  })

  it.effect(
    "links to previews need preview_upload; links to runs, which show their preview, both scopes",
    function* () {
      const { account, paths } = yield* prepared
      const { admin } = yield* TestHost
      const keyed = (scope: "preview_upload" | "test_runs") =>
        admin.createKey({ account: account.name, name: scope, scopes: [scope] })
      const [previews, runs] = [yield* keyed("preview_upload"), yield* keyed("test_runs")]
      for (const [key, path, needed] of [
        [runs.key, paths[0], ["preview_upload"]],
        [runs.key, paths[1], ["test_runs", "preview_upload"]],
        [previews.key, paths[1], ["test_runs", "preview_upload"]]
      ] as const) {
        for (const [method, below, body] of [
          ["POST", "/shares", {}],
          ["GET", "/shares", undefined],
          ["DELETE", "/shares/x", undefined]
        ] as const) {
          const problem = yield* refusal(yield* call(method, { key }, path + below, body), 403, "insufficient_scope")
          if (problem._tag === "InsufficientScope") assert.deepStrictEqual(problem.requiredScopes, needed)
        }
      }
      yield* make({ ...account, key: previews.key }, paths[0])
      const nobody = yield* call("POST", { key: "" }, `${paths[0]}/shares`, {})
      yield* refusal(nobody, 401, "unauthorized")
    }
  )

  it.effect("a run of an unlinked repository can't be shared, but its links can be revoked", function* () {
    const { account, paths } = yield* prepared
    const { admin } = yield* TestHost
    const { id } = yield* make(account, paths[1])
    const repository = { account: account.name, owner: account.owner, repo: account.repo }
    yield* admin.unlinkRepository(repository)
    yield* refusal(yield* call("POST", account, `${paths[1]}/shares`, {}), 404, "not_found")
    yield* make(account, paths[0])
    assert.strictEqual((yield* call("DELETE", account, `${paths[1]}/shares/${id}`)).status, 204)
    yield* admin.linkRepository(repository)
    assert.isDefined((yield* listOf(account, paths[1]))[0]?.revokedAt)
  })

  it.effect("a page has a hundred links, and its cursor leads to all older ones", function* () {
    const { account, paths } = yield* prepared
    const made = yield* Effect.forEach(Array.from({ length: 101 }), () => make(account, paths[0]))
    const first = yield* asList((yield* call("GET", account, `${paths[0]}/shares`)).json)
    assert.lengthOf(first.shares, 100)
    const cursor = encodeURIComponent(first.nextCursor ?? "")
    const second = yield* asList((yield* call("GET", account, `${paths[0]}/shares?cursor=${cursor}`)).json)
    assert.isUndefined(second.nextCursor)
    assert.deepStrictEqual(
      [...first.shares, ...second.shares].map(({ id }) => id),
      made.map(({ id }) => id).toReversed()
    )
    const refused = yield* call("GET", account, `${paths[0]}/shares?cursor=%00`)
    assert.deepStrictEqual(yield* issuePaths(refused), ["cursor"])
  })
})
