/**
 * Every refusal is an RFC 9457 problem, including those that the framework makes; and a refused request changes
 * nothing.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import * as memory from "../../adapters/memory/index.ts"
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { declaredFiles, latest, post, reserveBody } from "./testing/uploads.ts"

layer(
  TestHost.layer(inMemory, {
    limits: { bundleBytes: 1000, fileBytes: 500, totalBytes: 1200, files: 3, recordings: 2 }
  })
)("refusals", (it) => {
  it.effect("an unknown path is not_found", function* () {
    const host = yield* TestHost
    for (const path of ["/nope", "/api/v1", "/api/v1/nope", "/api/v1/builds/a/b", "/api/v1/builds/%zz"]) {
      yield* refusal(yield* host.call("GET", path), 404, "not_found")
    }
  })

  it.effect("a method that the path doesn't have is method_not_allowed, with Allow", function* () {
    const host = yield* TestHost
    for (const [method, path, allow] of [
      ["PUT", "/api/v1/builds", "GET, HEAD, OPTIONS, POST"],
      ["DELETE", "/api/v1/builds", "GET, HEAD, OPTIONS, POST"],
      ["POST", "/api/v1/builds/x", "DELETE, GET, HEAD, OPTIONS"]
    ] as const) {
      const answer = yield* host.call(method, path)
      yield* refusal(answer, 405, "method_not_allowed")
      assert.strictEqual(answer.headers.get("allow"), allow)
    }
  })

  it.effect("an Accept header that excludes JSON is not_acceptable; one that includes it is served", function* () {
    const host = yield* TestHost
    const { key } = yield* newAccount()
    for (const accept of ["text/html", "application/json;q=0, text/*", "image/png"]) {
      const answer = yield* host.call("GET", "/api/v1/builds/x", { key, headers: { accept } })
      yield* refusal(answer, 406, "not_acceptable")
    }
    for (const accept of ["*/*", "application/json", "application/*;q=0.1", "text/html, */*;q=0.1"]) {
      const answer = yield* host.call("GET", "/api/v1/builds/x", { key, headers: { accept } })
      yield* refusal(answer, 404, "not_found")
    }
  })

  it.effect("a body over the limit is payload_too_large", function* () {
    const account = yield* newAccount()
    const answer = yield* post(account, reserveBody(account, { entry: "x".repeat(1024 ** 2) }))
    yield* refusal(answer, 413, "payload_too_large")
  })

  it.effect("a declared size over a limit is payload_too_large and names the field", function* () {
    const account = yield* newAccount()
    const file = { ...declaredFiles[1], sizeBytes: 400 }
    for (const [fields, path] of [
      [{ bundleSizeBytes: 1001 }, "bundleSizeBytes"],
      [{ files: [{ ...file, sizeBytes: 501 }] }, "files.0.sizeBytes"],
      [{ bundleSizeBytes: 900, files: [file] }, "bundleSizeBytes"]
    ] as const) {
      const problem = yield* refusal(yield* post(account, reserveBody(account, fields)), 413, "payload_too_large")
      if (problem._tag === "PayloadTooLarge")
        assert.deepStrictEqual(
          problem.issues?.map((one) => one.path),
          [path]
        )
    }
    const four = Array.from({ length: 4 }, (_, n) => ({ ...file, path: `f${n}`, sizeBytes: 1 }))
    assert.deepStrictEqual(yield* issuePaths(yield* post(account, reserveBody(account, { files: four }))), ["files"])
    assert.strictEqual((yield* latest(account)).status, 404)
  })

  it.effect("an issue refers to the intended body, not to a failed union", function* () {
    const account = yield* newAccount()
    assert.deepStrictEqual(yield* issuePaths(yield* post(account, { operation: "finalize" })), ["token"])
    for (const token of [null, 5, "", "x".repeat(1025)]) {
      assert.deepStrictEqual(yield* issuePaths(yield* post(account, { operation: "finalize", token })), ["token"])
    }
    const operation = reserveBody(account, { operation: "reserve" })
    assert.deepStrictEqual(yield* issuePaths(yield* post(account, operation)), ["operation"])
    for (const body of [null, [], 5, "text"]) {
      assert.deepStrictEqual(yield* issuePaths(yield* post(account, body)), [""])
    }
  })

  it.effect("an invalid query is invalid_request and names the parameter", function* () {
    const host = yield* TestHost
    const { key } = yield* newAccount()
    for (const [query, paths] of [
      ["", ["owner", "repo", "branch"]],
      ["?owner=a&repo=b", ["branch"]],
      ["?owner=a&repo=b&branch=", ["branch"]],
      ["?owner=a&repo=b&branch=c&platform=web", ["platform"]],
      ["?owner=a&owner=b&repo=b&branch=c", ["owner"]],
      ["?owner=a%00&repo=b&branch=c", ["owner"]]
    ] as const) {
      const answer = yield* host.call("GET", `/api/v1/builds${query}`, { key })
      assert.deepStrictEqual(yield* issuePaths(answer), [...paths], query)
    }
  })

  it.effect("the order of checks is key, scope, body, ownership", function* () {
    const account = yield* newAccount()
    const unscoped = yield* newAccount(["test_runs"])
    yield* refusal(yield* post({ key: "wrong" }, { nonsense: true }), 401, "unauthorized")
    yield* refusal(yield* post(unscoped, { nonsense: true }), 403, "insufficient_scope")
    yield* refusal(yield* post(account, { owner: "not", repo: "mine" }), 400, "invalid_request")
    yield* refusal(
      yield* post(account, reserveBody({ ...account, owner: "not" }, { bundleSizeBytes: 1e6 })),
      413,
      "payload_too_large"
    )
    yield* refusal(yield* post(account, reserveBody({ ...account, owner: "not" })), 404, "not_found")
  })

  it.effect(
    "the 404 of a repository that is not linked names the check, and is the same if another account has linked it",
    function* () {
      const host = yield* TestHost
      const [account, other] = [yield* newAccount(), yield* newAccount()]
      const repository = { owner: `free-${other.owner}`, repo: "app" }
      const refused = Effect.map(
        Effect.flatMap(post(account, reserveBody({ ...account, ...repository })), (answer) =>
          refusal(answer, 404, "not_found")
        ),
        ({ code, detail, title, status }) => ({ code, detail, title, status })
      )
      const before = yield* refused
      assert.include(before.detail, `Is ${repository.owner}/app linked to this account?`)
      yield* host.admin.linkRepository({ account: other.name, ...repository })
      assert.deepStrictEqual(yield* refused, before)
    }
  )

  it.effect("X-Request-Id is echoed when it is 1–128 visible ASCII characters, else made", function* () {
    const host = yield* TestHost
    for (const id of ["a", "my-id:42", "~".repeat(128)]) {
      const answer = yield* host.call("GET", "/nope", { headers: { "x-request-id": id } })
      assert.strictEqual((yield* refusal(answer, 404, "not_found")).requestId, id)
    }
    for (const id of ["", "two words", "x".repeat(129), "\u00e9"]) {
      const answer = yield* host.call("GET", "/nope", { headers: { "x-request-id": id } })
      assert.match((yield* refusal(answer, 404, "not_found")).requestId ?? "", /^[0-9a-f-]{36}$/)
    }
  })
})

/** The memory engines, but looking up a key dies with an error that contains a secret. */
const broken = Layer.effect(
  KeyStore,
  Effect.map(KeyStore, (keys) =>
    KeyStore.of({ ...keys, findByHash: () => Effect.die(new Error("secret: postgres://user:password@db")) })
  )
).pipe(Layer.provideMerge(memory.layer))

layer(TestHost.layer({ metadata: "broken", objects: "memory", ports: broken, routes: memory.routes }))(
  "a fault of the service",
  (it) => {
    it.effect("is answered as internal, without details", function* () {
      const account = yield* newAccount()
      const answer = yield* latest(account)
      yield* refusal(answer, 500, "internal")
      assert.notInclude(answer.text, "secret")
      assert.notInclude(answer.text, "postgres")
    })
  }
)
