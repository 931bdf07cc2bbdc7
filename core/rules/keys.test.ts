import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { isLive, isUseDue, missingScopes, rotatedExpiry } from "./keys.ts"

const now = DateTime.makeUnsafe("2026-05-01T12:00:00Z")
const after = (seconds: number) => DateTime.addDuration(now, Duration.seconds(seconds))

describe("keys", () => {
  it("are live until they expire or are revoked; the instant of expiry is too late", () => {
    assert.isTrue(isLive({}, now))
    assert.isTrue(isLive({ expiresAt: after(1) }, now))
    assert.isFalse(isLive({ expiresAt: now }, now))
    assert.isFalse(isLive({ revokedAt: now }, now))
    assert.isFalse(isLive({ expiresAt: after(60), revokedAt: after(-60) }, now))
  })

  it("their use is stored at most once a minute", () => {
    assert.isTrue(isUseDue({}, now))
    assert.isFalse(isUseDue({ lastUsedAt: after(-59) }, now))
    assert.isTrue(isUseDue({ lastUsedAt: after(-60) }, now))
    assert.isFalse(isUseDue({ lastUsedAt: after(5) }, now))
  })

  it("lack the scopes that are required and not granted", () => {
    assert.deepStrictEqual(missingScopes(["builds"], ["builds"]), [])
    assert.deepStrictEqual(missingScopes(["builds"], ["preview_upload", "test_runs"]), ["preview_upload", "test_runs"])
    assert.deepStrictEqual(missingScopes([], []), [])
  })

  it("a rotated key ends after the overlap, but never later than before", () => {
    const overlap = Duration.hours(24)
    assert.deepStrictEqual(rotatedExpiry({}, now, overlap), after(86_400))
    assert.deepStrictEqual(rotatedExpiry({ expiresAt: after(60) }, now, overlap), after(60))
    assert.deepStrictEqual(rotatedExpiry({ expiresAt: after(90_000) }, now, overlap), after(86_400))
  })
})
