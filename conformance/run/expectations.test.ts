import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CheckResult, Outcome } from "../report/Report.ts"
import { expect, readExpectations } from "./expectations.ts"
import type { Planned } from "./plan.ts"

const ids = ["builds.one", "builds.two", "builds.three"]
const entry = { check: "builds.one", reason: "Being fixed", expires: "2026-12-31" }

const refusal = (text: string) => Effect.map(Effect.flip(readExpectations(text, ids)), ({ message }) => message)

describe("a file of expected failures", () => {
  it.effect("is a list of checks with reasons and days", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* readExpectations(JSON.stringify([entry]), ids), [entry])
    })
  )

  it.effect("is refused when it is anything else", () =>
    Effect.gen(function* () {
      for (const unfit of [
        "",
        "{}",
        "[1]",
        ...[{ reason: "" }, { expires: "soon" }, { expires: "2026-13-01" }, { why: "" }].map((wrong) =>
          JSON.stringify([{ ...entry, ...wrong }])
        )
      ]) {
        assert.match(yield* refusal(unfit), /^The expected failures must be/)
      }
      assert.match(
        yield* refusal(JSON.stringify([{ ...entry, check: "builds.oen" }])),
        /^No check is called builds\.oen; did you mean builds\.one\?$/
      )
      assert.strictEqual(yield* refusal(JSON.stringify([entry, entry])), "The expected failures name builds.one twice")
    })
  )
})

describe("what is expected of results", () => {
  const result = (id: string, outcome: Outcome): CheckResult => ({
    id,
    profile: "builds",
    title: id,
    level: "MUST",
    requirements: [],
    outcome,
    ...(outcome === "failed" ? { violation: { expected: "e", came: "c" } } : {}),
    durationMs: 1,
    exchanges: []
  })
  const planned = ids.map((id): Planned => ({
    id,
    profile: "builds",
    title: id,
    level: "MUST",
    requirements: [],
    check: undefined
  }))
  const today = "2026-12-24"
  const expected = (outcome: Outcome, expires: string) =>
    expect([result("builds.one", outcome), result("builds.two", "failed")], [{ ...entry, expires }], { planned }, today)

  it("an expected failure or missing answer gets the reason, and no other result does", () => {
    for (const outcome of ["failed", "no-answer"] as const) {
      const { complaints, results } = expected(outcome, today)
      assert.deepInclude(results[0], { outcome: "expected-failure", reason: "Being fixed" })
      assert.strictEqual(results[1]?.outcome, "failed")
      assert.deepStrictEqual(complaints, [])
    }
    assert.deepStrictEqual(expected("failed", today).results[0]?.violation, { expected: "e", came: "c" })
  })

  it("a skipped check is excused and stays skipped", () => {
    const { excused, results } = expected("skipped", today)
    assert.strictEqual(results[0]?.outcome, "skipped")
    assert.deepStrictEqual(excused, ["builds.one"])
  })

  it("an expired entry excuses nothing and is reported", () => {
    const { complaints, excused, results } = expected("failed", "2026-12-23")
    assert.strictEqual(results[0]?.outcome, "failed")
    assert.deepStrictEqual(excused, [])
    assert.deepStrictEqual(complaints, ["The expected failure of builds.one expired on 2026-12-23."])
  })

  it("an entry whose check passes is reported, and one whose check isn't run is not", () => {
    assert.deepStrictEqual(expected("passed", today).complaints, [
      "builds.one passes: take it out of the expected failures."
    ])
    const other = expect([result("builds.two", "passed")], [entry], { planned: planned.slice(1) }, today)
    assert.deepStrictEqual(other.complaints, [])
  })
})
