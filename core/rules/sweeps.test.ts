import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { endedSelection, isBuildDue, isClockSuspect, isForeign, isRecentlyDone, isOrphaned } from "./sweeps.ts"
import { AccountId } from "../model/Account.ts"
import { EndedRule } from "../model/Sweep.ts"

const now = DateTime.makeUnsafe("2026-11-22T12:00:00Z")
const ago = (hours: number) => DateTime.subtract(now, { hours })
/** An id of version 7 that was made so many hours ago. */
const idMade = (hours: number) => {
  const time = DateTime.toEpochMillis(ago(hours)).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

describe("what a sweep deletes", () => {
  it("expires a grace period after its end, and share links at least thirty days after", () => {
    const reservationTtl = Duration.hours(12)
    for (const rule of EndedRule.literals) {
      const { until } = endedSelection(rule, now, { grace: Duration.hours(24), reservationTtl })
      assert.deepStrictEqual(until, ago(rule === "share_links" ? 30 * 24 : 24))
    }
    const { until } = endedSelection("share_links", now, { grace: Duration.days(60), reservationTtl })
    assert.deepStrictEqual(until, ago(60 * 24))
  })

  it("keeps abandoned uploads for at least the life of a reservation", () => {
    for (const rule of EndedRule.literals) {
      const { until } = endedSelection(rule, now, { grace: Duration.hours(1), reservationTtl: Duration.hours(12) })
      if (rule !== "share_links") assert.deepStrictEqual(until, ago(rule.startsWith("abandoned_") ? 12 : 1), rule)
    }
  })

  it("waits when a job is more than a day late by the clock", () => {
    assert.isFalse(isClockSuspect(ago(24), now, Duration.zero))
    assert.isTrue(isClockSuspect(ago(25), now, Duration.zero))
    assert.isFalse(isClockSuspect(ago(25), now, Duration.hours(1)))
    assert.isFalse(isClockSuspect(DateTime.add(now, { hours: 48 }), now, Duration.zero))
  })

  it("runs a job again after its interval, and at once if it was done by a clock that was ahead", () => {
    const pause = Duration.hours(2)
    assert.isFalse(isRecentlyDone(undefined, now, pause))
    assert.isFalse(isRecentlyDone(ago(2), now, pause))
    assert.isTrue(isRecentlyDone(ago(1), now, pause))
    assert.isTrue(isRecentlyDone(DateTime.add(now, { hours: 1 }), now, pause))
    assert.isFalse(isRecentlyDone(DateTime.add(now, { minutes: 61 }), now, pause))
  })

  it("never selects the latest build, a kept build or one with an open reservation", () => {
    const order = { rule: "builds", account: AccountId.make("a"), now, until: now, keep: 1 } as const
    const build = { readyAt: ago(9), reservedUntil: ago(8), rank: 1 }
    assert.isTrue(isBuildDue(order, build))
    assert.isFalse(isBuildDue(order, { ...build, rank: 0 }))
    assert.isFalse(isBuildDue(order, { ...build, keptAt: ago(1) }))
    assert.isFalse(isBuildDue(order, { ...build, reservedUntil: DateTime.add(now, { seconds: 1 }) }))
    assert.isFalse(isBuildDue({ ...order, until: ago(10), keep: 2 }, build))
    assert.isTrue(isBuildDue({ ...order, until: undefined, keep: 1 }, build))
    assert.isTrue(isBuildDue({ ...order, until: ago(9), keep: undefined }, build))
  })

  it("finds objects of missing reservations orphaned, unless the reservation may be new", () => {
    const object = (hours: number) => ({ key: `uploads/${idMade(hours)}/bundle`, reservation: idMade(hours) })
    assert.isTrue(isOrphaned(object(25), undefined, ago(24)))
    assert.isFalse(isOrphaned(object(23), undefined, ago(24)))
    assert.isFalse(isOrphaned({ key: "uploads/other/bundle", reservation: "other" }, undefined, ago(24)))
  })

  it("finds objects beside hosted ones orphaned, and leaves uploads in progress", () => {
    const reservation = idMade(30)
    const hostedPrefix = `hosted/${reservation}/b/`
    const of = (key: string) => ({ key, reservation })
    const finalized = { finalizedAt: ago(25), hostedPrefix }
    assert.isFalse(isOrphaned(of(`${hostedPrefix}bundle`), finalized, ago(24)))
    assert.isTrue(isOrphaned(of(`hosted/${reservation}/a/bundle`), finalized, ago(24)))
    assert.isTrue(isOrphaned(of(`uploads/${reservation}/bundle`), finalized, ago(24)))
    assert.isFalse(isOrphaned(of(`uploads/${reservation}/bundle`), { ...finalized, finalizedAt: ago(23) }, ago(24)))
    assert.isFalse(isOrphaned(of(`uploads/${reservation}/bundle`), {}, ago(24)))
  })

  it("takes nothing of a store that is rather another deployment's", () => {
    assert.isTrue(isForeign(0, 10))
    assert.isTrue(isForeign(9, 10))
    assert.isFalse(isForeign(10, 10))
    assert.isFalse(isForeign(0, 9))
  })
})
