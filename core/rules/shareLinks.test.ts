import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { isOpen, lifeOf } from "./shareLinks.ts"

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1000)

describe("a share link", () => {
  it("is open until the instant at which it expires", () => {
    assert.isTrue(isOpen({ expiresAt: at(60) }, at(59)))
    assert.isFalse(isOpen({ expiresAt: at(60) }, at(60)))
  })

  it("is closed once it is revoked, whatever the time", () => {
    assert.isFalse(isOpen({ expiresAt: at(60), revokedAt: at(30) }, at(10)))
  })

  it("lives a week unless it is asked to live longer or shorter, and between a minute and 90 days in any case", () => {
    const days = (asked?: Duration.Duration) => Duration.toDays(lifeOf(asked))
    assert.strictEqual(days(), 7)
    assert.strictEqual(days(Duration.days(1)), 1)
    assert.strictEqual(days(Duration.zero), 1 / (24 * 60))
    assert.strictEqual(days(Duration.infinity), 90)
  })
})
