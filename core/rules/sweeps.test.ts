import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import {
  endedSelection,
  isBuildDue,
  isClockSuspect,
  isForeign,
  isOrphaned,
  isRecentlyDone,
  refuseRules,
  rulesFor,
  selectionsOf
} from "./sweeps.ts"
import { AccountId, type RetentionRules } from "../model/Account.ts"
import { EndedRule } from "../model/Sweep.ts"

const now = DateTime.makeUnsafe("2026-11-22T12:00:00Z")
const ago = (hours: number) => DateTime.subtract(now, { hours })
/** An id of version 7 that was made so many hours ago. */
const idMade = (hours: number) => {
  const time = DateTime.toEpochMillis(ago(hours)).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`
}

/** Whether what a rule deletes is listed after its end. */
const isListed = (rule: string) => rule === "share_links" || rule === "quarantines"

describe("what a sweep deletes", () => {
  it("expires a grace period after its end, and share links and quarantines at least thirty days after", () => {
    const reservationTtl = Duration.hours(12)
    for (const rule of EndedRule.literals) {
      const { until } = endedSelection(rule, now, { grace: Duration.hours(24), reservationTtl })
      assert.deepStrictEqual(until, ago(isListed(rule) ? 30 * 24 : 24))
    }
    const { until } = endedSelection("share_links", now, { grace: Duration.days(60), reservationTtl })
    assert.deepStrictEqual(until, ago(60 * 24))
  })

  it("keeps abandoned uploads for at least the life of a reservation", () => {
    for (const rule of EndedRule.literals) {
      const { until } = endedSelection(rule, now, { grace: Duration.hours(1), reservationTtl: Duration.hours(12) })
      if (!isListed(rule)) assert.deepStrictEqual(until, ago(rule.startsWith("abandoned_") ? 12 : 1), rule)
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

const account = AccountId.make("a1")
const since = (life: Duration.Duration) => DateTime.subtractDuration(now, life)
const hour = Duration.hours(1)

describe("the rules of retention", () => {
  it("expire nothing without a rule", () => {
    assert.deepStrictEqual(selectionsOf(account, {}, now), [])
    const forever: RetentionRules = { previews: "forever", runs: "forever", builds: "forever", buildsPerBranch: "all" }
    assert.deepStrictEqual(selectionsOf(account, forever, now), [])
  })

  it("name what goes by its age and its number, of one account", () => {
    const rules = {
      previews: Duration.days(90),
      runs: Duration.days(30),
      builds: Duration.days(10),
      histories: Duration.days(200),
      buildsPerBranch: 5,
      billed: Duration.days(400)
    }
    assert.deepStrictEqual(selectionsOf(account, rules, now), [
      { rule: "runs", account, until: since(Duration.days(30)) },
      { rule: "previews", account, until: since(Duration.days(90)) },
      { rule: "histories", account, until: since(Duration.days(200)) },
      { rule: "ci_runs", account, until: since(Duration.days(200)) },
      { rule: "billed", account, until: since(Duration.days(400)) },
      { rule: "builds", account, now, until: since(Duration.days(10)), keep: 5 }
    ])
    assert.deepStrictEqual(selectionsOf(account, { buildsPerBranch: 1 }, now), [
      { rule: "builds", account, now, until: undefined, keep: 1 }
    ])
  })

  it("of an account stand above the deployment's, each for itself, and forever too", () => {
    const deployment = { previews: Duration.days(90), buildsPerBranch: 5 }
    assert.deepStrictEqual(rulesFor(deployment), deployment)
    assert.deepStrictEqual(rulesFor(deployment, { previews: "forever" }), { previews: "forever", buildsPerBranch: 5 })
    assert.deepStrictEqual(rulesFor(deployment, { buildsPerBranch: "all" }), { ...deployment, buildsPerBranch: "all" })
  })

  it("keep a preview for as long as runs where they contradict each other meanwhile", () => {
    const runs = Duration.days(90)
    assert.deepStrictEqual(selectionsOf(account, { previews: Duration.days(30), runs }, now), [
      { rule: "runs", account, until: since(runs) },
      { rule: "previews", account, until: since(runs) }
    ])
    assert.deepStrictEqual(selectionsOf(account, { previews: Duration.days(30), runs: "forever" }, now), [])
  })

  it.each([
    ["previews", { previews: Duration.minutes(59) }, "must be 1h or longer"],
    ["runs", { runs: Duration.zero }, "must be 1h or longer"],
    ["histories", { histories: Duration.minutes(59) }, "must be 1h or longer"],
    ["builds", { builds: Duration.minutes(59) }, "must be 1h or longer"],
    ["billed", { billed: Duration.days(61) }, "must be 62d or longer"],
    ["buildsPerBranch", { buildsPerBranch: 0 }, "1 or more"],
    ["buildsPerBranch", { buildsPerBranch: -1 }, "1 or more"],
    ["buildsPerBranch", { buildsPerBranch: 1.5 }, "1 or more"],
    [
      "runs",
      { previews: Duration.days(30), runs: Duration.days(31) },
      "must not be longer than previews are kept (30d)"
    ],
    ["runs", { previews: Duration.days(30), runs: "forever" as const }, "must not be longer than previews"]
  ])("that can't be are refused by name: %s", (rule, rules, said) => {
    const refused = refuseRules(rules, hour)
    assert.strictEqual(refused?.rule, rule)
    assert.include(refused?.message, said)
  })

  it("that fit together are not refused", () => {
    for (const rules of [
      {},
      { previews: hour, runs: hour, builds: hour, buildsPerBranch: 1, billed: Duration.days(62) },
      { previews: Duration.days(30) },
      { runs: Duration.days(30) },
      { previews: "forever" as const, runs: "forever" as const }
    ]) {
      assert.isUndefined(refuseRules(rules, hour))
    }
  })

  it("never keep a resource for less than the lifetime of a reservation", () => {
    assert.include(refuseRules({ previews: Duration.hours(23) }, Duration.hours(24))?.message, "must be 1d or longer")
    assert.isUndefined(refuseRules({ previews: Duration.hours(24) }, Duration.hours(24)))
  })
})
