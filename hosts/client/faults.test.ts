/** The client and a failing service: a real host behind a front that hangs, cuts, refuses and loses. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inMemory } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { bundle, bytes, sha256 } from "../http/testing/uploads.ts"
import { SlipwayError, type Client, type ClientOptions, type Progress } from "./index.ts"
import { makeClient } from "./makeClient.ts"
import { onFetch } from "./onFetch.ts"
import { onNode } from "./onNode.ts"
import type { Platform } from "./Platform.ts"
import { cutWhileReading, hang, lose, refuse, startFront, type Front } from "./testing/front.ts"
import { standing } from "./testing/timing.ts"

const content = { body: bundle, contentType: "text/javascript" }

/** More than any socket buffers. */
const large = new Uint8Array(20_000_000)

const declared = {
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript"
}

const problem = (code: string, status: number) =>
  JSON.stringify({ type: `urn:slipway:problem:${code}`, status, title: code, code, detail: "From the front." })

const failure = (promise: Promise<unknown>): Promise<SlipwayError> =>
  promise.then(
    () => assert.fail("it succeeded"),
    (error: unknown) => {
      if (error instanceof SlipwayError) return error
      throw error
    }
  )

interface Tried {
  readonly front: Front
  readonly client: Client
  /** A client of the host itself. */
  readonly direct: Client
  readonly waits: ReadonlyArray<number>
  readonly owner: string
  readonly repo: string
  /** Lets time pass for the host. */
  readonly pass: (time: "2 hours") => Promise<void>
}

const calls = ({ asked }: Front) => asked.map(({ call }) => call.replace(/\/objects\/.*/, "/objects/…"))

/** Runs a test with an account, a front and a client behind it. */
const tried = (
  run: (tried: Tried) => Promise<void>,
  { options, platform = onNode }: { readonly options?: Partial<ClientOptions>; readonly platform?: Platform } = {}
) =>
  Effect.gen(function* () {
    const { url } = yield* TestHost
    const { key, owner, repo } = yield* newAccount(["builds", "preview_upload", "test_runs"])
    const front = yield* Effect.acquireRelease(
      Effect.promise(() => startFront(url)),
      (front) => Effect.promise(() => front.close())
    )
    const { timing, waits } = standing()
    const client = makeClient({ url: front.url, key, ...options }, platform, timing)
    const direct = makeClient({ url, key, ...options }, platform, timing)
    const clock = Effect.runPromiseWith(yield* Effect.context<never>())
    const pass = (time: "2 hours") => clock(TestClock.adjust(time))
    yield* Effect.promise(() => run({ client, direct, front, owner, pass, repo, waits }))
  })

const platforms = [
  { name: "node:http", platform: onNode },
  { name: "fetch", platform: onFetch }
]

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

  it.effect("ends a reservation while it is uploaded to: it is reserved again, once", () =>
    tried(async ({ client, front, pass }) => {
      let opened = 0
      const body = () => {
        opened += 1
        return (async function* () {
          if (opened === 2) await pass("2 hours")
          yield bundle
        })()
      }
      const preview = await client.previews.upload({ bundle: { body, contentType: "text/javascript" } })
      assert.strictEqual(preview.status, "ready")
      assert.strictEqual(opened, 3)
      const reserves = front.asked.filter(({ call }) => call === "POST /api/v1/previews")
      assert.strictEqual(new Set(reserves.map(({ key }) => key)).size, 2)
    })
  )

  it.effect("ends a reservation of what can't be read again, or ends each: that is reported", () =>
    tried(async ({ client, front, pass }) => {
      const late = async function* () {
        await pass("2 hours")
        yield bundle
      }
      const { bundleSizeBytes: sizeBytes, contentHash } = declared
      const upload = (body: AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>)) =>
        failure(client.previews.upload({ bundle: { body, sizeBytes, contentHash, contentType: "text/javascript" } }))
      assert.strictEqual((await upload(late())).status, 403)
      assert.strictEqual((await upload(late)).status, 403)
      assert.strictEqual(calls(front).filter((call) => call === "POST /api/v1/previews").length, 3)
    })
  )

  it.effect("loses an object: it is sent again, alone, and finalized again", () =>
    tried(async ({ client, front }) => {
      front.next("PUT", lose)
      const preview = await client.previews.upload(
        { bundle: content, files: [{ path: "one", contentType: "text/plain", body: bytes("one") }] },
        { concurrency: 1 }
      )
      assert.strictEqual(preview.status, "ready")
      assert.deepStrictEqual(calls(front), [
        "POST /api/v1/previews",
        "PUT /objects/…",
        "PUT /objects/…",
        "POST /api/v1/previews/finalize",
        "PUT /objects/…",
        "POST /api/v1/previews/finalize"
      ])
    })
  )

  it.effect("has the bytes already: they aren't sent, not even of a body that can be read once", () =>
    tried(async ({ client, direct, front, owner, repo }) => {
      await direct.previews.upload({ bundle: content })
      const { bundleSizeBytes: sizeBytes, contentHash } = declared
      const body = new Blob([bundle]).stream()
      const reports: Array<Progress> = []
      const build = await client.builds.upload(
        {
          owner,
          repo,
          branch: "main",
          platform: "ios",
          commitSha: "a".repeat(40),
          bundle: { ...content, body, sizeBytes, contentHash }
        },
        { onProgress: (progress) => reports.push(progress) }
      )
      assert.strictEqual(build.status, "ready")
      assert.deepStrictEqual(calls(front), ["POST /api/v1/builds", "POST /api/v1/builds"])
      const whole = { totalBytes: sizeBytes, totalObjects: 1 }
      assert.deepStrictEqual(reports, [{ ...whole, sentBytes: sizeBytes, sentObjects: 1 }])
    })
  )

  it.effect("loses an object each time: upload_incomplete, with what is missing", () =>
    tried(async ({ client, front }) => {
      front.next("PUT", lose, lose)
      const error = await failure(client.previews.upload({ bundle: content }))
      const objects = error.problem?.code === "upload_incomplete" ? error.problem.objects : []
      assert.deepStrictEqual(
        objects.map(({ reason }) => reason),
        ["missing"]
      )
    })
  )

  it.effect("sends a body that can be read once no second time", () =>
    tried(async ({ client, front }) => {
      front.next("PUT", refuse(503))
      const { bundleSizeBytes: sizeBytes, contentHash } = declared
      const body = new Blob([bundle]).stream()
      const error = await failure(client.previews.upload({ bundle: { ...content, body, sizeBytes, contentHash } }))
      assert.strictEqual(error.status, 503)
      assert.strictEqual(calls(front).filter((call) => call.startsWith("PUT")).length, 1)
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

  it.effect("has an upload whose progress callback throws: that ends it", () =>
    tried(async ({ client, front }) => {
      const reason = new Error("no")
      const onProgress = () => {
        throw reason
      }
      const upload = client.previews.upload({ bundle: content }, { onProgress })
      assert.strictEqual(await upload.catch((error: unknown) => error), reason)
      assert.deepStrictEqual(calls(front), ["POST /api/v1/previews"])
    })
  )
})

layer(TestHost.layer(inMemory))("options", (it) => {
  it("that don't fit are reported", () => {
    const { timing } = standing()
    const make = (options: Partial<ClientOptions>) => () =>
      makeClient({ url: "https://slipway.example", key: "slip_1", ...options }, onNode, timing)
    assert.throws(make({ url: "slipway.example" }), TypeError, "url must be")
    assert.throws(make({ url: "ftp://slipway.example" }), TypeError, "url must be")
    assert.throws(make({ key: "" }), TypeError, "key must be")
    assert.throws(make({ key: "slip_1\n" }), TypeError, "key must be")
    assert.doesNotThrow(make({}))
  })
})
