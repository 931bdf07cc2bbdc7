/** The client and a failing service: a real host behind a front that hangs, cuts, refuses and loses. */
import { layer } from "../../core/testing/layer.ts"
import { calls, content, declared, failure, large, platforms, problem, tried } from "./testing/clients.ts"
import { assert } from "@effect/vitest"
import { inMemory } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { bundle } from "../http/testing/uploads.ts"
import { onNode } from "./onNode.ts"
import { cutWhileReading, hang, refuse } from "./testing/front.ts"

layer(TestHost.layer(inMemory))("a service that fails", (it) => {
  it.effect("hangs: a request times out, and is sent again with the same idempotency key", () =>
    tried(
      async ({ client, front, waits }) => {
        front.next("POST", hang)
        const { shareId } = await client.previews.reserve(declared)
        assert.isString(shareId)
        // At least once: on a busy machine, any request may time out.
        assert.strictEqual(waits[0], 500)
        assert.strictEqual(new Set(front.asked.map(({ key }) => key)).size, 1)
      },
      { options: { retries: 1000, timeouts: { request: 1000 } } }
    )
  )

  it.effect("hangs for good: timed_out, after as many attempts as there are", () =>
    tried(
      async ({ client, front, waits }) => {
        front.next("GET", hang, hang, hang)
        const error = await failure(client.builds.read("a-build"))
        assert.strictEqual(error.code, "timed_out")
        assert.isUndefined(error.status)
        assert.deepStrictEqual(waits, [500, 1000])
      },
      { options: { retries: 2, timeouts: { request: 50 } } }
    )
  )

  it.effect("hangs in the middle of a PUT: it times out when idle, and is sent again", () =>
    tried(
      async ({ client, front }) => {
        front.next("PUT", hang)
        const preview = await client.previews.upload({ bundle: { body: large, contentType: "text/javascript" } })
        assert.strictEqual(preview.status, "ready")
        assert.isAtLeast(calls(front).filter((call) => call.startsWith("PUT")).length, 2)
      },
      { options: { retries: 1000, timeouts: { idle: 1000 } } }
    )
  )

  it.effect("cuts its answer: what was reserved is answered again, not reserved again", () =>
    tried(async ({ client, front, owner, repo }) => {
      front.next("POST", front.cutWhileAnswering)
      const reserved = await client.previews.reserve(declared, { idempotencyKey: "once" })
      assert.strictEqual(front.asked.length, 2)
      assert.deepStrictEqual(await client.previews.reserve(declared, { idempotencyKey: "once" }), reserved)
      await client.put(reserved.slots.bundle, bundle)
      front.next("POST", front.cutWhileAnswering)
      const preview = await client.previews.finalize(reserved.token)
      front.next("POST", front.cutWhileAnswering)
      const run = await client.testRuns.register({
        kind: "maestro",
        name: "Pay",
        owner,
        repo,
        previewShareId: preview.shareId
      })
      assert.deepStrictEqual(await client.testRuns.list({ org: owner, repo }), { testRuns: [run] })
    })
  )

  for (const { name, platform } of platforms) {
    it.effect(`cuts the body of a PUT by ${name}: it is sent again`, () =>
      tried(
        async ({ client, front }) => {
          front.next("PUT", cutWhileReading, cutWhileReading)
          const preview = await client.previews.upload({ bundle: { body: large, contentType: "text/javascript" } })
          assert.strictEqual(preview.bundle.sizeBytes, large.byteLength)
          assert.strictEqual(calls(front).filter((call) => call.startsWith("PUT")).length, 3)
        },
        { platform }
      )
    )

    it.effect(`refuses a PUT by ${name} while it is sent: its Problem is reported`, () =>
      tried(
        async ({ direct }) => {
          const { slots } = await direct.previews.reserve({
            ...declared,
            files: [{ path: "large", sizeBytes: large.byteLength, contentType: "text/plain" }]
          })
          const slot = slots.files[0] ?? assert.fail("a file has a slot")
          const error = await failure(direct.put({ ...slot, contentType: "text/css" }, large))
          assert.strictEqual(error.code, "url_refused")
          assert.strictEqual(error.status, 403)
          assert.strictEqual(error.detail, "This URL was signed for the content type text/plain.")
          assert.match(error.requestId ?? "", /./)
          assert.strictEqual(error.problem?.code, "url_refused")
          assert.notInclude(error.message, "signature")
        },
        { platform }
      )
    )

    it.effect(`refuses a PUT by ${name} as object stores do: its message is reported`, () =>
      tried(
        async ({ client, front }) => {
          const { slots } = await client.previews.reserve(declared)
          const xml = "<Error><Code>EntityTooLarge</Code></Error>"
          front.next("PUT", refuse(400, { "content-type": "application/xml" }, xml))
          const error = await failure(client.put(slots.bundle, bundle))
          assert.strictEqual(error.code, "refused")
          assert.strictEqual(error.status, 400)
          assert.strictEqual(error.detail, xml)
          assert.isUndefined(error.problem)
        },
        { platform }
      )
    )

    if (platform === onNode)
      it.effect("names the address to which a host redirects, and doesn't send its key there", () =>
        tried(
          async ({ client, front }) => {
            front.next("POST", refuse(308, { location: "https://new.example/api/v1/previews" }, ""))
            const error = await failure(client.previews.reserve(declared))
            assert.strictEqual(
              error.detail,
              "The host redirects to https://new.example/api/v1/previews: set its final address as the URL."
            )
          },
          { platform }
        )
      )

    it.effect(`is left in the middle of a PUT by ${name}: the body is closed, and nothing is sent any more`, () =>
      tried(
        async ({ client, front }) => {
          const controller = new AbortController()
          const reason = new Error("enough")
          let closed = 0
          const body = () => {
            let read = 0
            return (async function* () {
              try {
                for (; read < 400; read += 1) {
                  if (read === 3) controller.abort(reason)
                  yield new Uint8Array(1_000_000)
                }
              } finally {
                closed += 1
              }
            })()
          }
          const file = {
            path: "endless",
            contentType: "text/plain",
            body,
            sizeBytes: 400_000_000,
            contentHash: declared.contentHash
          }
          const upload = client.previews.upload({ bundle: content, files: [file] }, { signal: controller.signal })
          assert.strictEqual(await upload.catch((error: unknown) => error), reason)
          assert.strictEqual(closed, 1)
          assert.notInclude(calls(front), "POST /api/v1/previews/finalize")
        },
        { platform }
      )
    )
  }

  it.effect("asks to wait, in seconds or until a date: so long is waited", () =>
    tried(async ({ client, front, owner, repo, waits }) => {
      const limited = { "retry-after": "7", "content-type": "application/problem+json" }
      front.next(
        "GET",
        refuse(429, limited, problem("rate_limited", 429)),
        refuse(503, { "retry-after": "Thu, 01 Jan 2026 00:00:42 GMT" }),
        refuse(503, { "retry-after": "soon" }),
        refuse(425)
      )
      assert.deepStrictEqual(await client.testRuns.list({ org: owner, repo }), { testRuns: [] })
      assert.deepStrictEqual(waits, [7000, 42_000, 2000, 4000])
    })
  )

  it.effect("asks to wait for longer than a minute: that is reported immediately", () =>
    tried(async ({ client, front, waits }) => {
      front.next("POST", refuse(429, { "retry-after": "3600" }, problem("rate_limited", 429)))
      const error = await failure(client.previews.reserve(declared))
      assert.strictEqual(error.code, "rate_limited")
      assert.strictEqual(error.detail, "From the front.")
      assert.strictEqual(error.retryAfterMs, 3_600_000)
      assert.deepStrictEqual(waits, [])
    })
  )

  it.effect("refuses a PUT for a moment: it is sent again", () =>
    tried(async ({ client, front, waits }) => {
      front.next("PUT", refuse(503, { "retry-after": "1" }), refuse(500))
      assert.strictEqual((await client.previews.upload({ bundle: content })).status, "ready")
      assert.deepStrictEqual(waits, [1000, 1000])
    })
  )

  it.effect("never gets a request again that it refused, and reports what doesn't fit", () =>
    tried(async ({ client, front, owner, repo }) => {
      const identity = { owner, repo, branch: "main", platform: "ios", commitSha: "abc" } as const
      const error = await failure(client.builds.upload({ ...identity, bundle: { ...content, contentType: "text" } }))
      assert.strictEqual(error.code, "invalid_request")
      assert.sameMembers(
        error.issues.map(({ path }) => path),
        ["commitSha", "bundleContentType"]
      )
      assert.include(error.message, "commitSha: must be a commit hash")
      assert.strictEqual((await failure(client.builds.read("nobody"))).code, "not_found")
      assert.strictEqual((await failure(client.builds.finalize("no token"))).code, "not_found")
      assert.strictEqual(front.asked.length, 3)
    })
  )

  it.effect("may have made a share link: it is not asked again, except where it refused", () =>
    tried(async ({ client, front }) => {
      const { shareId } = await client.previews.upload({ bundle: content })
      front.next("POST", front.cutWhileAnswering)
      assert.strictEqual((await failure(client.previews.share(shareId))).code, "connection_failed")
      front.next("POST", refuse(503))
      await client.previews.share(shareId)
      assert.strictEqual((await client.previews.listShares(shareId)).shares.length, 2)
    })
  )

  it.effect("answers what is no answer of the interface: answer_unreadable", () =>
    tried(async ({ client, front }) => {
      front.next("GET", refuse(200, { "content-type": "text/html" }, "<html>Sign in to the network"))
      const error = await failure(client.builds.read("a-build"))
      assert.strictEqual(error.code, "answer_unreadable")
      assert.include(error.detail, "Sign in to the network")
    })
  )

  it.effect("is down: connection_failed, and why", () =>
    tried(async ({ client, front, waits }) => {
      await front.close()
      const error = await failure(client.builds.read("a-build"))
      assert.strictEqual(error.code, "connection_failed")
      assert.include(error.detail, "ECONNREFUSED")
      assert.deepStrictEqual(waits, [500, 1000, 2000, 4000])
    })
  )

  it.effect("is not asked when the call is over before it began, or names nothing", () =>
    tried(async ({ client, front }) => {
      const reason = new Error("no")
      const signal = AbortSignal.abort(reason)
      const thrown = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
      assert.strictEqual(await thrown(client.previews.upload({ bundle: content }, { signal })), reason)
      assert.strictEqual(await thrown(client.builds.read("a-build", { signal })), reason)
      assert.instanceOf(await thrown(client.builds.read("..")), TypeError)
      assert.instanceOf(await thrown(client.testRuns.share("")), TypeError)
      assert.instanceOf(await thrown(client.previews.upload({ bundle: content }, { concurrency: 0 })), RangeError)
      assert.deepStrictEqual(front.asked, [])
    })
  )
})
