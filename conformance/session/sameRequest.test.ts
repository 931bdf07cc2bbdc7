import { assert, describe, it } from "vitest"
import type { Exchange, Json } from "./Exchange.ts"
import { sameRequest } from "./sameRequest.ts"

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
