/** Sessions of signed-in people, over real HTTP: how they end, and the page that lists them. */
import { assert } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { request } from "node:http"
import { it, layer } from "../../../core/testing/layer.ts"
import { call, newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { enginesWithOwnUrls, inMemory } from "../../http/testing/engines.ts"
import { readyPreview, uploader } from "../../http/testing/previews.ts"
import { refusal } from "../../http/testing/refusals.ts"
import { parsedPerTurn } from "../../http/testing/turnWork.ts"
import { bytes } from "../../http/testing/uploads.ts"
import { uploadPreview } from "../testing/previews.ts"
import { cookieOf, frameOf, isSignedIn, listed, objectsOf, ownId, signIn, unescaped, visit } from "../testing/visit.ts"
import { browserText } from "./sessions.ts"

const account = newAccount(["builds", "preview_upload"])

/** Signs in with this `User-Agent`; returns the session's cookie. */
const signInWith = Effect.fnUntraced(function* (key: string, headers: Record<string, string>) {
  return cookieOf(yield* visit("POST", "/sign-in", { form: { key }, headers }))
})

const takenBack = /^slipway=; Max-Age=0; Path=\/; .*HttpOnly/

const firefoxOnLinux = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"

layer(TestHost.layer(inMemory))("sessions", (it) => {
  it.effect("the cookie holds 32 random bytes, and nothing that can be read", function* () {
    const { key } = yield* account
    const [cookie, other] = [yield* signIn(key), yield* signIn(key)]
    for (const one of [cookie, other]) {
      assert.match(one, /^slipway=[\w-]{43}$/)
      assert.strictEqual(Buffer.from(one.slice("slipway=".length), "base64url").byteLength, 32)
    }
    // Two cookies of one key share no part that could be derived from the key.
    for (const length of [8, 16, 24]) assert.notStrictEqual(cookie.slice(8, 8 + length), other.slice(8, 8 + length))
    assert.notStrictEqual(cookie.slice(-16), other.slice(-16))
  })

  it.effect("a copied cookie is refused after signing out", function* () {
    const { key } = yield* account
    const [cookie, other] = [yield* signIn(key), yield* signIn(key)]
    const answer = yield* visit("POST", "/sign-out", { cookie })
    assert.strictEqual(answer.status, 303)
    assert.strictEqual(answer.headers.get("location"), "/sign-in")
    assert.match(answer.headers.getSetCookie()[0] ?? "", takenBack)
    assert.isFalse(yield* isSignedIn(cookie))
    assert.strictEqual((yield* visit("GET", "/sessions", { cookie })).status, 401)
    assert.isTrue(yield* isSignedIn(other))
  })

  it.effect("signing out everywhere ends every session of the key, this one too, and none of another", function* () {
    const { admin } = yield* TestHost
    const { key, name } = yield* account
    const sibling = yield* admin.createKey({ account: name, name: "sibling", scopes: ["builds"] })
    const cookies = [yield* signIn(key), yield* signIn(key), yield* signIn(key)]
    const others = [yield* signIn(sibling.key), yield* signIn((yield* account).key)]
    const answer = yield* visit("POST", "/sign-out-everywhere", { cookie: cookies[1] })
    assert.strictEqual(answer.status, 303)
    assert.strictEqual(answer.headers.get("location"), "/sign-in")
    assert.match(answer.headers.getSetCookie()[0] ?? "", takenBack)
    for (const cookie of cookies) assert.isFalse(yield* isSignedIn(cookie))
    for (const cookie of others) assert.isTrue(yield* isSignedIn(cookie))
    assert.isTrue(yield* isSignedIn(yield* signIn(key)), "the key is good as before")
  })

  it.effect("a session that is ended on the page is over, and no other is", function* () {
    const { key } = yield* account
    const [mine, lost, other] = [yield* signIn(key), yield* signIn(key), yield* signIn(key)]
    const end = `/sessions/${yield* ownId(lost)}/end`
    // The second attempt has the same result.
    for (const _ of [1, 2]) {
      const answer = yield* visit("POST", end, { cookie: mine })
      assert.strictEqual(answer.status, 303)
      assert.strictEqual(answer.headers.get("location"), "/sessions")
      assert.isEmpty(answer.headers.getSetCookie())
      assert.isFalse(yield* isSignedIn(lost))
      assert.lengthOf(yield* listed(mine), 2)
      assert.isTrue(yield* isSignedIn(other))
    }
    const answer = yield* visit("POST", `/sessions/${yield* ownId(mine)}/end`, { cookie: mine })
    assert.strictEqual(answer.headers.get("location"), "/sign-in")
    assert.match(answer.headers.getSetCookie()[0] ?? "", takenBack)
    assert.isFalse(yield* isSignedIn(mine))
    assert.isTrue(yield* isSignedIn(other))
  })

  it.effect("nobody sees or ends a session of another key, or of another account", function* () {
    const { admin } = yield* TestHost
    const { key, name } = yield* account
    const sibling = yield* admin.createKey({ account: name, name: "sibling", scopes: ["builds"] })
    const cookie = yield* signIn(key)
    const id = yield* ownId(cookie)
    for (const stranger of [yield* signIn(sibling.key), yield* signIn((yield* account).key)]) {
      assert.deepStrictEqual(
        (yield* listed(stranger)).map(({ isThisOne }) => isThisOne),
        [true]
      )
      const attempt = yield* visit("POST", `/sessions/${id}/end`, { cookie: stranger })
      const none = yield* visit("POST", "/sessions/none/end", { cookie: stranger })
      assert.deepStrictEqual(
        [attempt.status, attempt.headers.get("location"), attempt.text],
        [none.status, none.headers.get("location"), none.text]
      )
      yield* visit("POST", "/sign-out-everywhere", { cookie: stranger })
      assert.isFalse(yield* isSignedIn(stranger))
      assert.isTrue(yield* isSignedIn(cookie))
    }
    assert.strictEqual((yield* visit("POST", "/sessions/%00/end", { cookie })).status, 404)
    assert.strictEqual((yield* visit("GET", "/sessions?after=%00", { cookie })).status, 404)
  })

  it.effect("a session ends with its key: when that is revoked, and when it expires", function* () {
    const { admin } = yield* TestHost
    const { key, keyId, name } = yield* account
    const short = yield* admin.createKey({
      account: name,
      name: "short",
      scopes: ["builds"],
      life: Duration.hours(1)
    })
    const [cookie, soonOver] = [yield* signIn(key), yield* signIn(short.key)]
    yield* TestClock.adjust("59 minutes")
    assert.isTrue(yield* isSignedIn(soonOver))
    yield* TestClock.adjust("1 minute")
    assert.isFalse(yield* isSignedIn(soonOver))
    assert.isTrue(yield* isSignedIn(cookie))
    yield* admin.revokeKey({ id: keyId })
    assert.isFalse(yield* isSignedIn(cookie))
  })

  it.effect("a session ends after 7 days, whatever was done in it, and is listed no longer", function* () {
    const { key } = yield* account
    const cookie = yield* signIn(key)
    yield* TestClock.adjust("1 day")
    const later = yield* signIn(key)
    yield* TestClock.adjust("143 hours")
    assert.isTrue(yield* isSignedIn(cookie))
    assert.lengthOf(yield* listed(later), 2)
    yield* TestClock.adjust("1 hour")
    assert.isFalse(yield* isSignedIn(cookie))
    assert.lengthOf(yield* listed(later), 1)
    assert.lengthOf(yield* listed(yield* signIn(key)), 2)
  })

  it.effect(
    "signing in ends the session that the browser brings, whosever it is, and a wrong key doesn't",
    function* () {
      const [{ key }, { key: other }] = [yield* account, yield* account]
      const [mine, planted, kept] = [yield* signIn(key), yield* signIn(other), yield* signIn(other)]
      yield* visit("POST", "/sign-in", { cookie: mine, form: { key: "wrong" } })
      assert.isTrue(yield* isSignedIn(mine))
      for (const cookie of [mine, planted]) {
        const begun = cookieOf(yield* visit("POST", "/sign-in", { cookie, form: { key } }))
        assert.notStrictEqual(begun, cookie)
        assert.isTrue(yield* isSignedIn(begun))
        assert.isFalse(yield* isSignedIn(cookie))
      }
      assert.isTrue(yield* isSignedIn(kept))
      const made = `slipway=${"A".repeat(43)}`
      assert.notStrictEqual(cookieOf(yield* visit("POST", "/sign-in", { cookie: made, form: { key } })), made)
      assert.isFalse(yield* isSignedIn(made))
    }
  )

  it.effect("the page shows start, address and browser of each, newest first, and marks this one", function* () {
    const { key } = yield* account
    const since = yield* Clock.currentTimeMillis
    const at = (minutes: number) =>
      `${new Date(since + minutes * 60_000).toISOString().slice(0, 16).replace("T", " ")} UTC`
    const forwarded = { "x-forwarded-for": "203.0.113.7", forwarded: "for=203.0.113.7" }
    const first = yield* signInWith(key, { "user-agent": firefoxOnLinux, ...forwarded })
    yield* TestClock.adjust("2 minutes")
    const second = yield* signInWith(key, { "user-agent": `<b>${"x".repeat(600)}` })
    assert.deepStrictEqual(
      (yield* listed(first)).map(({ isThisOne, says }) => ({ isThisOne, says })),
      [
        { isThisOne: false, says: `<b>${"x".repeat(56)}… signed in ${at(2)}, from 127.0.0.1` },
        { isThisOne: true, says: `Firefox on Linux This one signed in ${at(0)}, from 127.0.0.1` }
      ]
    )
    const { text } = yield* visit("GET", "/sessions", { cookie: second })
    for (const cookie of [first, second]) assert.notInclude(text, cookie.slice("slipway=".length))
    assert.match((yield* visit("GET", "/", { cookie: first })).text, /<a\s+href="\/sessions">Sessions<\/a>/)
  })

  it.effect("a hundred are a page, which leads to the older ones", function* () {
    const { key } = yield* account
    const oldest = yield* signIn(key)
    yield* TestClock.adjust("1 second")
    yield* Effect.forEach(Array.from({ length: 100 }), () => signIn(key), { concurrency: 10 })
    const newest = yield* listed(oldest)
    assert.lengthOf(newest, 100)
    const { text } = yield* visit("GET", "/sessions", { cookie: oldest })
    const older = /href="(\/sessions\?after=[^"]+)"/.exec(unescaped(text))?.[1] ?? ""
    const [last, ...none] = yield* listed(oldest, older)
    assert.isEmpty(none)
    assert.isTrue(last?.isThisOne)
    assert.notInclude((yield* visit("GET", older, { cookie: oldest })).text, "?after=")
    assert.strictEqual((yield* visit("POST", "/sign-out-everywhere", { cookie: oldest })).status, 303)
    assert.lengthOf(yield* listed(yield* signIn(key)), 1)
  })

  it.effect(
    "what was opened by right of a session is closed when that ends; by right of a key it stays open",
    function* () {
      const { key } = yield* account
      const recordings = [{ name: "shot.png", kind: "screenshot", contentType: "image/png", sizeBytes: 1 }]
      const { shareId } = yield* uploadPreview({ key }, { recordings }, { recordings: [bytes("x")] })
      const page = `/previews/${shareId}`
      const [cookie, other] = [yield* signIn(key), yield* signIn(key)]
      const openedBy = Effect.fnUntraced(function* (session: string) {
        const { text } = yield* visit("GET", page, { cookie: session })
        const led = yield* visit("GET", `${page}/recordings/0`, { cookie: session })
        return [frameOf(text), `${objectsOf(text)}recordings/0`, led.headers.get("location") ?? ""]
      })
      const [mine, others] = [yield* openedBy(cookie), yield* openedBy(other)]
      const byKey = yield* visit("GET", `${page}/recordings/0`, { headers: { authorization: `Bearer ${key}` } })
      const statuses = (paths: ReadonlyArray<string>) =>
        Effect.forEach(paths, (path) => Effect.map(visit("GET", path), ({ status }) => status))
      assert.deepStrictEqual(yield* statuses(mine), [200, 200, 200])
      yield* visit("POST", "/sign-out", { cookie })
      assert.deepStrictEqual(yield* statuses(mine), [403, 403, 403])
      assert.deepStrictEqual(yield* statuses(others), [200, 200, 200])
      yield* visit("POST", "/sign-out-everywhere", { cookie: other })
      assert.deepStrictEqual(yield* statuses(others), [403, 403, 403])
      assert.deepStrictEqual(yield* statuses([byKey.headers.get("location") ?? ""]), [200])
    }
  )
})

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"
const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"
const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"
const iPhone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const iPad = "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
const android = "Mozilla/5.0 (Linux; Android 10; K)"
const linux = "Mozilla/5.0 (X11; Linux x86_64)"

it("recognises browsers and systems by their User-Agent", () => {
  const texts = {
    [`${windows} ${webKit} Chrome/141.0.0.0 Safari/537.36`]: "Chrome on Windows",
    [`${windows} ${webKit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`]: "Edge on Windows",
    [`${mac} ${webKit} Chrome/141.0.0.0 Safari/537.36 OPR/125.0.0.0`]: "Opera on macOS",
    [`${mac} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`]: "Safari on macOS",
    [`${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`]: "Safari on iPhone",
    [`${iPhone} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`]: "Chrome on iPhone",
    [`${iPad} FxiOS/144.0 Mobile/15E148 Safari/605.1.15`]: "Firefox on iPad",
    [`${iPhone} EdgiOS/141.0.0.0 Version/18.0 Mobile/15E148 Safari/604.1`]: "Edge on iPhone",
    [`${android} ${webKit} Chrome/141.0.0.0 Mobile Safari/537.36`]: "Chrome on Android",
    [`${android} ${webKit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`]: "Samsung Internet on Android",
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/141.0.0.0 Safari/537.36`]: "Chrome on ChromeOS",
    [`${linux} ${webKit} HeadlessChrome/141.0.0.0 Safari/537.36`]: "Chrome on Linux",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0": "Firefox on Linux",
    "Mozilla/5.0 (Haiku; rv:144.0) Gecko/20100101 Firefox/144.0": "Firefox"
  }
  for (const [userAgent, words] of Object.entries(texts)) assert.strictEqual(browserText(userAgent), words, userAgent)
})

it("shows an unknown User-Agent, cut to one line", () => {
  assert.strictEqual(browserText("curl/8.16.0"), "curl/8.16.0")
  assert.strictEqual(browserText("x".repeat(512)), `${"x".repeat(59)}…`)
  assert.strictEqual(browserText(undefined), "Unknown browser")
})

// The viewer's forms are small: a larger body is refused before it is decoded.

/** How many bytes of forms one turn of the event loop may parse. */
const maxParsed = 16 * 1024
const form = { "content-type": "application/x-www-form-urlencoded" }

const large = {
  "half a million fields": bytes("a&".repeat(520_000)),
  "half a million fields of the same name, with values": bytes("key=a&".repeat(170_000)),
  "a megabyte of key": bytes(`key=${"a".repeat(1_000_000)}`),
  "a megabyte of signs to decode": bytes(`key=${"%41".repeat(340_000)}`),
  "a little more than the most": bytes("a".repeat(8 * 1024 + 1)),
  "too many fields": bytes("a&".repeat(16))
}

/** Sends a body without declaring its length; returns the status. */
const inChunks = Effect.fnUntraced(function* (path: string, body: Uint8Array) {
  const { url } = yield* TestHost
  return yield* Effect.callback<number | undefined>((resume) => {
    const sent = request(url + path, { method: "POST", headers: form }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
    // The host may end the connection while the rest is still being sent.
    sent.on("error", () => {})
    sent.write(body.subarray(0, 1000))
    sent.end(body.subarray(1000))
  })
})

for (const engines of enginesWithOwnUrls()) {
  layer(TestHost.layer(engines))(`forms of the viewer on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("one that is too large is refused, signed in or not, and nothing is done", function* () {
      const { url } = yield* TestHost
      const account = yield* uploader
      const { shareId } = yield* readyPreview(account)
      const cookie = yield* signIn(account.key)
      const shares = `/previews/${shareId}/shares`
      for (const path of ["/sign-in", shares, `${shares}/x/revoke`, "/runs/x/shares"]) {
        for (const [what, raw] of Object.entries(large)) {
          const { most, result } = yield* parsedPerTurn(call("POST", url + path, { raw, headers: { ...form, cookie } }))
          assert.isAtMost(most, maxParsed, `${path}: ${what}`)
          yield* refusal(result, 413, "payload_too_large")
        }
      }
      assert.notInclude((yield* visit("GET", shares, { cookie })).text, "/revoke")
    })

    it.effect("it is refused while it is read if its length isn't declared", function* () {
      assert.strictEqual(yield* inChunks("/sign-in", large["half a million fields"]), 413)
    })

    it.effect("eight at once don't block other requests either", function* () {
      const { url } = yield* TestHost
      const send = call("POST", `${url}/sign-in`, { raw: large["half a million fields"], headers: form })
      const eight = Effect.all(
        Array.from({ length: 8 }, () => send),
        { concurrency: "unbounded" }
      )
      assert.isAtMost((yield* parsedPerTurn(eight)).most, maxParsed)
    })

    it.effect("a key that is far too long is refused", function* () {
      assert.strictEqual((yield* visit("POST", "/sign-in", { form: { key: "a".repeat(2000) } })).status, 400)
    })

    it.effect("signing out reads no body, however large it is", function* () {
      const { url } = yield* TestHost
      const { key } = yield* uploader
      const headers = { ...form, cookie: yield* signIn(key) }
      const send = call("POST", `${url}/sign-out`, { raw: large["half a million fields"], headers })
      const { most, result } = yield* parsedPerTurn(send)
      assert.isAtMost(most, maxParsed)
      assert.strictEqual(result.status, 200)
    })
  })
}
