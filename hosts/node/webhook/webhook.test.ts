/** Deliveries to a real server. */
import { assert, describe } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"
import { makeAccount, makeEvent, makeKey } from "../../../adapters/kit/parts/samples.ts"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { it } from "../../http/testing/layer.ts"
import { makeSend } from "./webhook.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const send = makeSend()
const event = makeEvent(makeKey(makeAccount()))

interface Taken {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly path: string | undefined
}

/** A receiver with this answer, and the requests that it received. It stops when the scope closes. */
const receiver = (answer: (response: ServerResponse) => void) =>
  Effect.gen(function* () {
    const taken: Array<Taken> = []
    const asked = yield* Deferred.make<void>()
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        taken.push({ headers: request.headers, body, path: request.url })
        Deferred.doneUnsafe(asked, Effect.void)
        answer(response)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const deliver = send({ url: `http://127.0.0.1:${port}/hook`, secret: Redacted.make(secret) }, event)
    return { asked: Deferred.await(asked), deliver, taken }
  })

const answering = (status: number, headers: Record<string, string> = {}) =>
  receiver((response) => void response.writeHead(status, headers).end("an answer"))

describe("a webhook", () => {
  it.live("is sent the event as JSON, signed as Standard Webhooks has it", function* () {
    const { deliver, taken } = yield* answering(204)
    assert.strictEqual(yield* deliver, "answered 204")
    const [first] = taken
    if (first === undefined) return assert.fail("nothing came")
    assert.strictEqual(first.path, "/hook")
    assert.strictEqual(first.headers["content-type"], "application/json")
    assert.strictEqual(first.headers["webhook-id"], event.id)
    const headers = Object.fromEntries(Object.entries(first.headers).map(([name, value]) => [name, String(value)]))
    assert.deepStrictEqual(new Webhook(secret).verify(first.body, headers), Schema.encodeSync(SlipwayEvent)(event))
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
    assert.throws(() => new Webhook(other).verify(first.body, headers))
  })

  it.live.each([400, 404, 410, 500])("that answers %d has not accepted the event", function* (status) {
    const { deliver } = yield* answering(status)
    const failed = yield* Effect.flip(deliver)
    assert.strictEqual(failed.reason, `answered ${status}`)
    assert.isUndefined(failed.retryAfter)
  })

  it.live("that redirects the event has not accepted it, and the redirect is not followed", function* () {
    const elsewhere = yield* answering(204)
    const { deliver, taken } = yield* answering(307, { location: "/elsewhere" })
    assert.strictEqual((yield* Effect.flip(deliver)).reason, "answered 307")
    assert.strictEqual(taken.length, 1)
    assert.deepStrictEqual(elsewhere.taken, [])
  })

  it.live.each([429, 503])("that answers %d is retried after its Retry-After", function* (status) {
    const { deliver } = yield* answering(status, { "retry-after": "120" })
    const failed = yield* Effect.flip(deliver)
    assert.strictEqual(failed.retryAfter && Duration.toSeconds(failed.retryAfter), 120)
  })

  it.live("whose answer never ends is not waited for", function* () {
    const closed = yield* Deferred.make<void>()
    const { deliver } = yield* receiver((response) => {
      response.writeHead(200)
      const more = (): void => void (response.destroyed || response.write("x".repeat(65_536), () => more()))
      response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
      more()
    })
    yield* deliver
    yield* Deferred.await(closed)
  })

  it.effect("that doesn't answer in fifteen seconds has not accepted the event", function* () {
    const { asked, deliver } = yield* receiver(() => {})
    const delivering = yield* Effect.forkChild(Effect.flip(deliver))
    yield* asked
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual((yield* Fiber.join(delivering)).reason, "no answer in 15s")
  })

  it.live("that can't be reached has not accepted the event, and the reason names no URL", function* () {
    const { deliver } = yield* Effect.scoped(answering(204))
    const { reason } = yield* Effect.flip(deliver)
    assert.include(reason, "ECONNREFUSED")
    assert.notInclude(reason, "/hook")
  })
})
