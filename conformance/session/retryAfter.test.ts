import { assert, describe, it } from "vitest"
import { waitBefore } from "./retryAfter.ts"
import { toAnswer } from "./transport.ts"

const now = Date.parse("2026-11-21T10:00:00Z")

const answered = (status: number, retryAfter?: string) =>
  toAnswer(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }, "")

describe("whether a request is sent again", () => {
  it("is decided by the target's Retry-After, in seconds or as a date", () => {
    assert.strictEqual(waitBefore(answered(429, "3"), 0, 0, now), 3000)
    assert.strictEqual(waitBefore(answered(503, "0"), 4, 0, now), 0)
    assert.strictEqual(waitBefore(answered(503, "Sat, 21 Nov 2026 10:00:07 GMT"), 0, 0, now), 7000)
    assert.strictEqual(waitBefore(answered(503, "Sat, 21 Nov 2026 09:00:00 GMT"), 0, 0, now), 0)
  })

  it("waits longer each time after a 429 without Retry-After, and doesn't repeat after such a 503", () => {
    assert.deepStrictEqual(
      [0, 1, 2].map((retries) => waitBefore(answered(429), retries, 0, now)),
      [1000, 2000, 4000]
    )
    assert.isUndefined(waitBefore(answered(503), 0, 0, now))
  })

  it("ends after a bound, and other statuses are never repeated", () => {
    assert.isUndefined(waitBefore(answered(429, "1"), 5, 0, now))
    assert.isUndefined(waitBefore(answered(429, "31"), 0, 0, now))
    assert.isUndefined(waitBefore(answered(429, "2"), 1, 29_000, now))
    assert.isUndefined(waitBefore(answered(503, "soon"), 0, 0, now))
    assert.isUndefined(waitBefore(answered(500, "1"), 0, 0, now))
    assert.isUndefined(waitBefore(answered(200, "1"), 0, 0, now))
  })
})
