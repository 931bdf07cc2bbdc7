import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import { AccountId } from "../model/Account.ts"
import type { RetentionRules } from "../model/Retention.ts"
import { selectionsOf, refuseRules, rulesFor } from "./retention.ts"

const account = AccountId.make("a1")
const now = DateTime.makeUnsafe("2026-11-22T12:00:00Z")
const ago = (life: Duration.Duration) => DateTime.subtractDuration(now, life)
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
      { rule: "runs", account, until: ago(Duration.days(30)) },
      { rule: "previews", account, until: ago(Duration.days(90)) },
      { rule: "histories", account, until: ago(Duration.days(200)) },
      { rule: "ci_runs", account, until: ago(Duration.days(200)) },
      { rule: "billed", account, until: ago(Duration.days(400)) },
      { rule: "builds", account, now, until: ago(Duration.days(10)), keep: 5 }
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
      { rule: "runs", account, until: ago(runs) },
      { rule: "previews", account, until: ago(runs) }
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
