import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Result } from "effect"
import { AccountId } from "../model/Account.ts"
import { ReservationId } from "../model/Reservation.ts"
import type { Reservation } from "../model/Reservation.ts"
import { decideFinalize, declaredObjects, hostedPrefix, stagingPrefix } from "./reservations.ts"

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
    ["an unknown token", undefined, owner, alive, "NotFound"],
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

describe("where an upload lies", () => {
  it("no attempt to finalize shares a prefix with another, or with what PUT URLs can write", () => {
    const prefixes = [stagingPrefix(open), hostedPrefix(open, "a"), hostedPrefix(open, "b")]
    for (const one of prefixes) {
      for (const other of prefixes) if (one !== other) assert.isFalse(one.startsWith(other))
    }
  })

  it("the bundle comes first, then the files in the order declared", () => {
    const file = (path: string) => ({ path, sizeBytes: 1, contentType: "a/b" })
    const objects = declaredObjects({
      bundleSizeBytes: 5,
      bundleContentType: "text/javascript",
      contentHash: "h",
      files: [file("z"), file("a")]
    })
    assert.deepStrictEqual(objects, [
      { name: "bundle", sizeBytes: 5, contentType: "text/javascript", contentHash: "h" },
      { name: "files/0", ...file("z") },
      { name: "files/1", ...file("a") }
    ])
  })
})
