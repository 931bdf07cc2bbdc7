import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import { exampleTarget } from "../testing/example.ts"
import { WrongKey, type HttpResponse, type Request } from "./Exchange.ts"
import { content, NoResponse, unique, type Keys } from "./Session.ts"
import { agentOf, keyHeader, live, unknownKey, wrongKey } from "./live.ts"
import { replay } from "./replay.ts"
import { toResponse, Transport, type Outgoing } from "./transport.ts"
import { createHash } from "node:crypto"

const api = "https://service.example/api/v1/builds"
const a = { account: "a", key: "all" } as const
const run = { id: "run", ...exampleTarget }

/** A transport that gives these answers in order and records the requests. */
const scripted = (answers: ReadonlyArray<HttpResponse>) => {
  const sent: Array<Outgoing> = []
  const layer = Layer.succeed(
    Transport,
    Transport.of({
      send: (request) =>
        Effect.suspend(() => {
          sent.push(request)
          const answer = answers[sent.length - 1]
          return answer === undefined
            ? Effect.fail(new NoResponse({ url: request.url, reason: "There is no more." }))
            : Effect.succeed(answer)
        })
    })
  )
  return { sent, layer }
}

const ok = toResponse(200, { "content-type": "application/json" }, '{"fine":true}')

describe("the session that sends requests to the target", () => {
  it.effect("adds the key as the binding says, and keeps nothing of it", function* () {
    const { layer, sent } = scripted([ok, ok, ok, ok])
    const { log: kept, session } = yield* Effect.provide(live(run, "builds.x"), layer)
    yield* session.exchange({ method: "POST", url: api, as: a, json: { b: 1 } })
    yield* session.exchange({ method: "GET", url: api, as: { account: "b", key: "all" } })
    yield* session.exchange({ method: "GET", url: api, as: "unknown" })
    yield* session.exchange({
      method: "PUT",
      url: api,
      as: "none",
      content: session.content("c", 3),
      headers: { "content-type": "text/css" }
    })
    const agent = { "user-agent": agentOf("run") }
    assert.deepStrictEqual(sent[0]?.headers, {
      ...agent,
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      authorization: "Bearer key_of-a-with-all"
    })
    assert.strictEqual(sent[0]?.body, '{"b":1}')
    assert.strictEqual(sent[1]?.headers.authorization, "Bearer key_of-b-with-all")
    assert.match(sent[2]?.headers.authorization ?? "", /^Bearer key_(?!of-a)/)
    assert.deepStrictEqual(sent[3]?.headers, { ...agent, "accept-encoding": "identity", "content-type": "text/css" })
    const { exchanges } = yield* kept
    assert.notMatch(JSON.stringify(exchanges), /key_/)
    assert.deepStrictEqual(
      exchanges.map(({ request }) => request.as),
      [a, { account: "b", key: "all" }, "unknown", "none"]
    )
  })

  it.effect("sends a request again when the target asks for it, and records how often", function* () {
    const later = toResponse(429, { "retry-after": "2" }, "")
    const { layer, sent } = scripted([later, later, ok])
    const { log: kept, session } = yield* Effect.provide(live(run, "builds.x"), layer)
    const asking = yield* Effect.forkChild(session.exchange({ method: "GET", url: api, as: a }))
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(sent.length, 2)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(asking)).status, 200)
    const { exchanges } = yield* kept
    assert.deepStrictEqual(
      exchanges.map(({ answer, at, retries }) => ({ status: answer.status, at, retries })),
      [{ status: 200, at: 4000, retries: 2 }]
    )
    assert.strictEqual(yield* session.now, 4000)
  })

  it.effect("accepts the last answer when the target keeps asking to retry", function* () {
    const { layer, sent } = scripted(Array.from({ length: 9 }, () => toResponse(503, { "retry-after": "0" }, "")))
    const { session } = yield* Effect.provide(live(run, "builds.x"), layer)
    const asking = yield* Effect.forkChild(session.exchange({ method: "GET", url: api, as: a }))
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* Fiber.join(asking)).status, 503)
    assert.strictEqual(sent.length, 6)
  })

  it.effect("tampers only with the sent URL, and records the URL that was given", function* () {
    const { layer, sent } = scripted([toResponse(403, {}, "no: sig=abcdehgh")])
    const { log: kept, session } = yield* Effect.provide(live(run, "builds.x"), layer)
    const url = "https://s.example/k?sig=abcdefgh"
    yield* session.exchange({ method: "PUT", url, as: "none", tamper: "signature" })
    assert.match(sent[0]?.url ?? "", /^https:\/\/s\.example\/k\?sig=(?!abcdefgh).{8}$/)
    const [exchange] = (yield* kept).exchanges
    assert.strictEqual(exchange?.request.url, "https://s.example/k?sig=‹redacted 1›")
    assert.strictEqual(exchange?.request.tamper, "signature")
  })

  const faults: ReadonlyArray<readonly [Request, RegExp]> = [
    [{ method: "fetch", url: api, as: a }, /no method/],
    [{ method: "GET", url: "/api/v1/builds", as: a }, /no URL/],
    [{ method: "GET", url: "ftp://service.example/x", as: a }, /no URL/],
    [{ method: "GET", url: `${api}/undefined`, as: a }, /a part that is missing/],
    [{ method: "GET", url: api, as: { account: "b", key: "builds" } }, /No key builds of account b/],
    [{ method: "GET", url: api, as: a, headers: { Authorization: "x" } }, /belongs to the session/],
    [{ method: "PUT", url: "https://s.example/k", as: "none", tamper: "expiry" }, /nothing to tamper with/]
  ]
  for (const [request, reason] of faults) {
    it.effect(`doesn't send what is the suite's own fault: ${reason.source}`, function* () {
      const { layer, sent } = scripted([ok])
      const { session } = yield* Effect.provide(live(run, "builds.x"), layer)
      const cause = yield* Effect.flip(Effect.sandbox(session.exchange(request)))
      assert.match(Cause.pretty(cause), reason)
      assert.isTrue(Cause.hasDies(cause))
      assert.deepStrictEqual(sent, [])
    })
  }

  it.effect("sends only reads in a read-only run", function* () {
    const { layer, sent } = scripted([ok])
    const { session } = yield* Effect.provide(live({ ...run, readOnly: true }, "builds.x"), layer)
    yield* session.exchange({ method: "GET", url: api, as: a })
    const cause = yield* Effect.flip(Effect.sandbox(session.exchange({ method: "POST", url: api, as: a, json: {} })))
    assert.match(Cause.pretty(cause), /POST .+ is no read/)
    assert.lengthOf(sent, 1)
  })

  it.effect("records what was made and observed", function* () {
    const { log: kept, session } = yield* Effect.provide(live(run, "builds.x"), scripted([]).layer)
    yield* session.secret("of-this-nobody-hears")
    yield* session.observe("builds.reserve.token", "of-this-nobody-hears")
    yield* session.observe("builds.reserve.status", 201)
    yield* session.made({ kind: "build", id: "1", url: "https://s.example/b/1?share=of-this-nobody-hears" })
    const { made, observations, redact } = yield* kept
    assert.deepStrictEqual(observations, [
      { silence: "builds.reserve.token", answer: "‹redacted 1›" },
      { silence: "builds.reserve.status", answer: 201 }
    ])
    assert.deepStrictEqual(made, [{ kind: "build", id: "1", url: "https://s.example/b/1?share=‹redacted 1›" }])
    assert.strictEqual(redact("came of-this-nobody-hears"), "came ‹redacted 1›")
  })
})

describe("the session that answers from a recording", () => {
  const recorded = Effect.gen(function* () {
    const answers = [toResponse(201, { server: "x" }, '{ "token": "their-own-token", "n": 1 }'), ok]
    const { log: kept, session } = yield* Effect.provide(live(run, "builds.x"), scripted(answers).layer)
    yield* session.exchange({ method: "POST", url: api, as: a, json: { branch: session.unique("b") } })
    yield* TestClock.adjust("7 millis")
    yield* session.exchange({ method: "POST", url: api, as: a, json: { token: "their-own-token" } })
    const { exchanges } = yield* kept
    return { runId: run.id, checkId: "builds.x", config: run.config, exchanges, noResponse: undefined }
  })

  it.effect("answers the same requests with the recorded answers", function* () {
    const { session, unread } = replay(yield* recorded)
    assert.strictEqual(yield* session.now, 0)
    const reserved = yield* session.exchange({
      method: "POST",
      url: api,
      as: a,
      json: { branch: session.unique("b") }
    })
    assert.deepStrictEqual(reserved.json, { token: "‹redacted 1›", n: 1 })
    assert.deepStrictEqual(reserved.headers, {})
    yield* session.pause
    assert.strictEqual(yield* unread, 1)
    yield* session.exchange({ method: "POST", url: api, as: a, json: { token: "‹redacted 1›" } })
    assert.strictEqual(yield* session.now, 7)
    assert.strictEqual(yield* unread, 0)
  })

  it.effect("answers a request whose URL has what a later body has", function* () {
    const requests = [
      { method: "GET", url: `${api}?account=harbour-north-1`, as: a },
      { method: "POST", url: api, as: a, json: { owner: "harbour-north-1" } }
    ] as const
    const { log: kept, session } = yield* Effect.provide(live(run, "builds.x"), scripted([ok, ok]).layer)
    for (const one of requests) yield* session.exchange(one)
    const { exchanges } = yield* kept
    const again = replay({ runId: run.id, checkId: "builds.x", config: run.config, exchanges, noResponse: undefined })
    for (const one of requests) yield* again.session.exchange(one)
    assert.strictEqual(yield* again.unread, 0)
  })

  it.effect("reports a suite fault for another request or for one too many", function* () {
    const recording = yield* recorded
    const { session } = replay(recording)
    const other = yield* Effect.flip(Effect.sandbox(session.exchange({ method: "GET", url: api, as: a })))
    assert.match(Cause.pretty(other), /The check asks GET .+, and the recording has POST/)
    const { session: over } = replay({ ...recording, exchanges: [] })
    const cause = yield* Effect.flip(Effect.sandbox(over.exchange({ method: "GET", url: api, as: a })))
    assert.match(Cause.pretty(cause), /is not in the recording, which ends before it/)
  })

  it.effect("gives no answer where none was recorded", function* () {
    const { session } = replay({ ...(yield* recorded), exchanges: [], noResponse: "It hung up." })
    const { reason } = yield* Effect.flip(session.exchange({ method: "GET", url: api, as: a }))
    assert.strictEqual(reason, "It hung up.")
  })
})

const keys = (all: string): Keys => ({ a: { all: Redacted.make(all) }, b: {} })

describe("an unknown key", () => {
  it("has the form of the real key and shares only its prefix", () => {
    const known = "slip_Ab3dEf7hIj1"
    const unknown = Redacted.value(unknownKey(keys(known), "run"))
    assert.match(unknown, /^slip_[A-Z][a-z]\d[a-z][A-Z][a-z]\d[a-z][A-Z][a-z]\d$/)
    assert.isTrue([...unknown].every((character, index) => index < 5 || character !== known[index]))
  })

  it("differs also when there is no prefix or little text after it", () => {
    for (const known of ["0123456789abcdef", "team_a", "A-1", "-----key"]) {
      assert.notStrictEqual(Redacted.value(unknownKey(keys(known), "run")), known)
    }
  })

  it("is none of the right keys, however it is near one", () => {
    for (const known of [
      "slip_Ab3dEf7hIj1",
      "q8Zr0aXk2m_-dTt5WvYb",
      "a1b2c3d4e5_f6g7h8i9j0",
      "-----key",
      "_________________"
    ]) {
      for (const one of WrongKey.literals) {
        assert.notStrictEqual(Redacted.value(wrongKey(one, keys(known), "run")), known)
      }
    }
  })

  it("follows from the run", () => {
    const of = (run: string) => Redacted.value(unknownKey(keys("slip_Ab3dEf7hIj1"), run))
    assert.strictEqual(of("one"), of("one"))
    assert.notStrictEqual(of("one"), of("another"))
  })
})

describe("the header of a key", () => {
  it("holds the key as the binding says", () => {
    const key = Redacted.make("k:1")
    const header = (value: string) => keyHeader({ header: "X-Access", value }, key)
    assert.deepStrictEqual(header("Bearer {key}"), { "x-access": "Bearer k:1" })
    assert.deepStrictEqual(header("{key:base64}"), { "x-access": "azox" })
    assert.deepStrictEqual(header("Basic {basic}"), { "x-access": "Basic azoxOg==" })
    assert.deepStrictEqual(header('key="{key}" {other}'), { "x-access": 'key="k:1" {other}' })
  })
})

describe("values that are derived from run, check and label", () => {
  it("are 16 hex digits, equal for equal input and different for other input", () => {
    const all = [
      unique("run", "check", "label"),
      unique("run 2", "check", "label"),
      unique("run", "check 2", "label"),
      unique("run", "check", "label 2"),
      // Another split of the same text into the three inputs gives another value.
      unique("ru", "ncheck", "label")
    ]
    for (const one of all) assert.match(one, /^[0-9a-f]{16}$/)
    assert.strictEqual(new Set(all).size, all.length)
    assert.strictEqual(unique("run", "check", "label"), all[0])
  })

  it("are the asked number of bytes of printable ASCII, with their digest", () => {
    for (const sizeBytes of [0, 1, 64, 65, 66, 5000]) {
      const { bytes, sha256 } = content("run", "check", "label", sizeBytes)
      assert.strictEqual(bytes.byteLength, sizeBytes)
      assert.isTrue(bytes.every((byte) => byte === 10 || (byte >= 32 && byte < 127)))
      assert.strictEqual(sha256, createHash("sha256").update(bytes).digest("hex"))
    }
    assert.notStrictEqual(content("run", "check", "a", 64).sha256, content("run", "check", "b", 64).sha256)
  })
})
