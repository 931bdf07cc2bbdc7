import { assert, describe, it } from "vitest"
import type { Exchange, Json, Tamper } from "./Exchange.ts"
import { canTamper, tampered } from "./tamper.ts"
import { sameRequest } from "./replay.ts"

const request = (url: string, json?: Json): Exchange["request"] => ({
  method: "POST",
  url,
  as: { account: "a", key: "all" },
  headers: { "content-type": "application/json" },
  ...(json === undefined ? {} : { json })
})

const api = "https://h.example/api/v1/builds"

describe("whether a request is the one that was recorded", () => {
  it("accepts requests that differ only by redaction", () => {
    assert.isTrue(sameRequest(request(api, { a: [1, null, "x"] }), request(api, { a: [1, null, "x"] })))
    assert.isTrue(sameRequest(request(api, { token: "‹redacted 1›" }), request(api, { token: "‹redacted 7›" })))
    assert.isTrue(sameRequest(request(api, { token: "‹redacted 1›" }), request(api, { token: "no-such-token" })))
    assert.isTrue(sameRequest(request(`${api}/‹redacted 2›`), request(`${api}/%E2%80%B9redacted%202%E2%80%BA`)))
    assert.isTrue(sameRequest(request(`${api}?a=‹redacted 2›&b=1`), request(`${api}?a=anything&b=1`)))
  })

  it("rejects requests that differ in anything else", () => {
    const recorded = request(api, { token: "‹redacted 1›", operation: "finalize" })
    for (const other of [
      request(api),
      request(`${api}/1`, recorded.json),
      request(api, { token: "‹redacted 1›", operation: "other" }),
      request(api, { token: "‹redacted 1›" }),
      request(api, { token: "‹redacted 1›", operation: "finalize", more: 1 }),
      request(api, ["‹redacted 1›", "finalize"]),
      { ...recorded, method: "PUT" },
      { ...recorded, as: "none" as const },
      { ...recorded, headers: {} },
      { ...recorded, tamper: "key" as const },
      { ...recorded, content: { sizeBytes: 1, sha256: "" } }
    ]) {
      assert.isFalse(sameRequest(recorded, other), JSON.stringify(other))
    }
    assert.isFalse(sameRequest(request(`${api}?a=‹redacted 2›&b=1`), request(`${api}?a=anything&b=2`)))
    assert.isFalse(sameRequest(request(api, [0]), request(api, { 0: 0 })))
  })

  it("is decided fast, however much of the recording is redacted", () => {
    const recorded = `${api}/${"‹redacted 1›a".repeat(500)}`
    assert.isFalse(sameRequest(request(`${recorded}b`), request(`${api}/${"a".repeat(5000)}`)))
    assert.isTrue(sameRequest(request(`${recorded}b`), request(`${api}/${"a".repeat(5000)}b`)))
    // Text at the end doesn't count as the text before it.
    assert.isFalse(sameRequest(request(`${api}/aa‹redacted 1›aa`), request(`${api}/aaa`)))
  })
})

const slipway =
  "http://h.example/objects/uploads/1/bundle?expires=1795268&type=text%2Fjavascript&length=512&signature=f4eQcrJJww-XUi"
const s3 =
  "https://b.s3.example/k/app.js?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2F2026&X-Amz-Expires=900&X-Amz-Signature=00ff3e"
const unknown = "https://h.example/up?v=2&ticket=4f7d9a1c6b&u=7"
const bare = "https://h.example/put/eyJhIjoxfQ.q83vEjRWeJA"

/** The only characters in which two texts of one length differ. */
const changes = (one: string, other: string): ReadonlyArray<string> =>
  [...one].flatMap((character, index) => (character === other[index] ? [] : [`${character}→${other[index]}`]))

describe("tampering with a presigned URL", () => {
  it("changes one character of a parameter that is named like a signature", () => {
    assert.deepStrictEqual(changes(slipway, tampered(slipway, "signature")), ["J→K"])
    assert.deepStrictEqual(changes(s3, tampered(s3, "signature")), ["f→0"])
    assert.isAbove(tampered(s3, "signature").indexOf("X-Amz-Signature="), 0)
  })

  it("changes the longest value where no name fits, and the last segment where there is no query", () => {
    assert.deepStrictEqual(changes(unknown, tampered(unknown, "signature")), ["9→a"])
    const [change] = changes(bare, tampered(bare, "signature"))
    assert.isDefined(change)
    assert.isTrue(tampered(bare, "signature").startsWith("https://h.example/put/eyJhIjoxfQ."))
  })

  it("changes the object's name and keeps the query and the file extension", () => {
    assert.strictEqual(tampered(s3, "key"), s3.replace("/app.js", "/aqp.js"))
    assert.deepStrictEqual(changes(slipway, tampered(slipway, "key")), ["n→o"])
    assert.notStrictEqual(tampered(bare, "key"), bare)
  })

  it("changes the segment of the path that the config names", () => {
    const signed = "https://h.example/put/1795268/q83vEjRWeJA/bundle.js"
    const configured = { signature: "/3", expiry: "/2", key: "/-1" }
    assert.deepStrictEqual(changes(signed, tampered(signed, "signature", configured)), ["j→k"])
    assert.strictEqual(tampered(signed, "expiry", configured), signed.replace("1795268", "1798868"))
    assert.match(tampered(signed, "key", configured), /\/1795268\/q83vEjRWeJA\/(?!bundle)\w{6}\.js$/)
    assert.deepStrictEqual(
      [canTamper(signed, "expiry", configured), canTamper(signed, "type", { type: "/9" })],
      [true, false]
    )
  })

  it("changes the parameters for type, length and expiry", () => {
    assert.strictEqual(tampered(slipway, "type"), slipway.replace("text%2Fjavascript", "text%2Fhtml"))
    assert.strictEqual(tampered(slipway, "length"), slipway.replace("length=512", "length=4112"))
    assert.strictEqual(tampered(slipway, "expiry"), slipway.replace("expires=1795268", "expires=1798868"))
    assert.strictEqual(tampered(s3, "expiry"), s3.replace("X-Amz-Expires=900", "X-Amz-Expires=4500"))
  })

  it("changes the parameters that the config names", () => {
    assert.isFalse(canTamper(unknown, "expiry"))
    assert.isTrue(canTamper(unknown, "expiry", { expiry: "u" }))
    assert.strictEqual(tampered(unknown, "expiry", { expiry: "u" }), unknown.replace("u=7", "u=3607"))
    assert.deepStrictEqual(changes(unknown, tampered(unknown, "signature", { signature: "v" })), ["2→3"])
  })

  it("tells beforehand which changes a URL allows, also when its values are redacted", () => {
    const all = ["signature", "key", "type", "length", "expiry"] as const
    const has = (url: string): ReadonlyArray<Tamper> => all.filter((tamper) => canTamper(url, tamper))
    assert.deepStrictEqual(has(slipway), [...all])
    assert.deepStrictEqual(has(s3), ["signature", "key", "expiry"])
    assert.deepStrictEqual(has(bare), ["signature", "key"])
    assert.deepStrictEqual(has(slipway.replaceAll(/=[^&]+/g, "=‹redacted 1›")), [...all])
    for (const tamper of ["type", "length", "expiry"] as const) assert.strictEqual(tampered(bare, tamper), bare)
  })
})
