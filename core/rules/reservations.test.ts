import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Option, Result } from "effect"
import { AccountId } from "../model/Account.ts"
import { KeyId } from "../model/ApiKey.ts"
import { ReservationId, type Reservation } from "../model/Reservation.ts"
import {
  decideFinalize,
  decideOpenReservations,
  decidePut,
  declaredObjects,
  hostedPrefix,
  isDecompressionBudgetSpent,
  reservationOf,
  stagingPrefix
} from "./reservations.ts"

const reservedAt = DateTime.makeUnsafe("2026-05-01T12:00:00Z")
const owner = AccountId.make("owner")
const open: Reservation = {
  id: ReservationId.make("r1"),
  tokenHash: "t",
  accountId: owner,
  reservedAt,
  expiresAt: DateTime.addDuration(reservedAt, Duration.hours(1))
}
const finalized: Reservation = { ...open, finalizedAt: reservedAt, hostedPrefix: "hosted/r1/a/" }
const alive = DateTime.addDuration(reservedAt, Duration.minutes(59))
const over = open.expiresAt

describe("who may finalize", () => {
  for (const [what, reservation, by, now, step] of [
    ["another account's, open", open, AccountId.make("other"), alive, "NotFound"],
    ["another account's, its life over", open, AccountId.make("other"), over, "NotFound"],
    ["another account's, finalized", finalized, AccountId.make("other"), alive, "NotFound"],
    ["its own, open and alive", open, owner, alive, "verify"],
    ["its own, its life over", open, owner, over, "ReservationExpired"],
    ["its own, finalized and alive", finalized, owner, alive, "answer-again"],
    ["its own, finalized, its life over", finalized, owner, over, "answer-again"]
  ] as const) {
    it(`${what}: ${step}`, () => {
      const decided = decideFinalize(reservation, by, now)
      assert.strictEqual(Result.isSuccess(decided) ? decided.success : decided.failure._tag, step)
    })
  }
})

describe("room for another reservation", () => {
  const decide = (count: number, end?: Duration.Input) =>
    decideOpenReservations(
      {
        count,
        firstEnd: Option.map(Option.fromUndefinedOr(end), (end) =>
          DateTime.addDuration(reservedAt, Duration.fromInputUnsafe(end))
        )
      },
      3,
      reservedAt
    )
  const retryAfter = (result: ReturnType<typeof decide>) =>
    Result.isFailure(result) ? result.failure.retryAfterSeconds : undefined

  it("is there below the bound, and not at it", () => {
    assert.isTrue(Result.isSuccess(decide(0)))
    assert.isTrue(Result.isSuccess(decide(2, "1 minute")))
    assert.isTrue(Result.isFailure(decide(3, "1 minute")))
    assert.isTrue(Result.isFailure(decide(4, "1 minute")))
  })

  it("is there again when the first one ends: in whole seconds, never before, and one at least", () => {
    assert.strictEqual(retryAfter(decide(3, "1 minute")), 60)
    assert.strictEqual(retryAfter(decide(3, "1001 millis")), 2)
    assert.strictEqual(retryAfter(decide(3, "1 millis")), 1)
    assert.strictEqual(retryAfter(decide(3, "0 millis")), 1)
  })
})

describe("whether a presigned URL may store something", () => {
  const keyId = KeyId.make("key")
  const reserved = { ...open, keyId }
  const done = { ...finalized, keyId }
  const live = {}
  const revoked = { revokedAt: over }

  for (const [what, reservation, key, decided] of [
    ["an unknown reservation, a live key", undefined, live, "UrlRefused"],
    ["an unknown reservation, no key", undefined, undefined, "UrlRefused"],
    ["a finalized reservation, a live key", done, live, "UrlRefused"],
    ["a finalized reservation, no key", done, undefined, "UrlRefused"],
    ["an open reservation, a revoked key", reserved, revoked, "UrlRefused"],
    ["an open reservation, a key that has expired", reserved, { expiresAt: reservedAt }, "UrlRefused"],
    ["an open reservation, an unknown key", reserved, undefined, "UrlRefused"],
    ["an open reservation, a live key", reserved, live, "stored"],
    ["an open reservation, a key that expires later", reserved, { expiresAt: over }, "stored"],
    ["an open reservation of a version that kept no keys", open, undefined, "stored"]
  ] as const) {
    it(`${what}: ${decided}`, () => {
      const result = decidePut(reservation, key, alive)
      assert.strictEqual(Result.isSuccess(result) ? "stored" : result.failure._tag, decided)
    })
  }
})

describe("what is decompressed for a reservation", () => {
  it("is enough at the bound, and not below it", () => {
    assert.isFalse(isDecompressionBudgetSpent(open, 10))
    assert.isFalse(isDecompressionBudgetSpent({ decompressedBytes: 9 }, 10))
    assert.isTrue(isDecompressionBudgetSpent({ decompressedBytes: 10 }, 10))
    assert.isTrue(isDecompressionBudgetSpent({ decompressedBytes: 11 }, 10))
  })
})

describe("where an upload lies", () => {
  it("no attempt to finalize shares a prefix with another, or with what PUT URLs can write", () => {
    const prefixes = [stagingPrefix(open), hostedPrefix(open, "a"), hostedPrefix(open, "b")]
    for (const one of prefixes) {
      for (const other of prefixes) if (one !== other) assert.isFalse(one.startsWith(other))
    }
  })

  it("an object key below a staging prefix says whose it is, and no other key does", () => {
    for (const name of ["bundle", "files/0"]) assert.strictEqual(reservationOf(stagingPrefix(open) + name), open.id)
    for (const key of [
      "",
      "uploads/",
      stagingPrefix(open),
      `${hostedPrefix(open, "a")}bundle`,
      "x/uploads/r1/bundle"
    ]) {
      assert.isUndefined(reservationOf(key), key)
    }
  })

  it("the bundle comes first, then the files and the recordings, in the order declared", () => {
    const file = (path: string) => ({ path, sizeBytes: 1, contentType: "a/b" })
    const recording = { name: "Home", kind: "screenshot", sizeBytes: 3, contentType: "image/png" } as const
    const objects = declaredObjects({
      bundleSizeBytes: 5,
      bundleContentType: "text/javascript",
      contentHash: "h",
      files: [file("z"), file("a")],
      recordings: [recording, { ...recording, contentHash: "r", startedAtMs: 1, durationMs: 2 }]
    })
    assert.deepStrictEqual(objects, [
      { name: "bundle", sizeBytes: 5, contentType: "text/javascript", contentHash: "h" },
      { name: "files/0", ...file("z") },
      { name: "files/1", ...file("a") },
      { name: "recordings/0", sizeBytes: 3, contentType: "image/png" },
      { name: "recordings/1", sizeBytes: 3, contentType: "image/png", contentHash: "r" }
    ])
  })
})
