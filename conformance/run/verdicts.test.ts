import { assert, describe, it } from "vitest"
import type { CheckResult, Outcome } from "../report/Report.ts"
import { exitCode } from "./exitCode.ts"
import { verdictsOf } from "./verdicts.ts"

const result = (id: string, outcome: Outcome, level: CheckResult["level"] = "MUST"): CheckResult => ({
  id,
  profile: "builds",
  title: id,
  level,
  requirements: [],
  outcome,
  durationMs: 1,
  exchanges: []
})

const verdict = (...results: ReadonlyArray<CheckResult>) => verdictsOf(["builds"], results, results).builds

const passed = result("a", "passed")

describe("a verdict", () => {
  it("is conformant when every MUST passed, whatever the SHOULDs did", () => {
    assert.strictEqual(verdict(passed, result("b", "failed", "SHOULD"), result("c", "skipped", "MAY")), "conformant")
  })

  it("is partial when a MUST wasn't judged and none failed", () => {
    for (const outcome of ["skipped", "expected-failure", "suite-fault"] as const) {
      assert.strictEqual(verdict(passed, result("b", outcome)), "partial")
    }
    assert.strictEqual(verdictsOf(["builds"], [passed], [passed, { id: "b", profile: "builds" }]).builds, "partial")
    assert.strictEqual(verdictsOf(["previews"], [passed], [{ id: "p", profile: "previews" }]).previews, "partial")
  })

  it("is failed when a MUST failed or had no answer", () => {
    for (const outcome of ["failed", "no-answer"] as const) {
      assert.strictEqual(verdict(passed, result("b", "skipped"), result("c", outcome)), "failed")
    }
  })

  it("is given for each claimed profile and for no other", () => {
    const results = [passed, { ...result("p", "failed"), profile: "previews" as const }]
    assert.deepStrictEqual(verdictsOf(["builds", "previews"], results, results), {
      builds: "conformant",
      previews: "failed"
    })
  })
})

describe("an exit code", () => {
  const code = (
    results: ReadonlyArray<CheckResult>,
    more: { excused?: ReadonlyArray<string>; complaints?: ReadonlyArray<string> } = {},
    lost?: string
  ) => exitCode({ results, excused: [], complaints: [], ...more }, lost)

  it("is 0 when every MUST passed, is expected to fail or is excused", () => {
    assert.strictEqual(code([passed, result("b", "failed", "SHOULD"), result("c", "expected-failure")]), 0)
    assert.strictEqual(code([passed, result("b", "skipped")], { excused: ["b"] }), 0)
  })

  it("is 1 for a violation, a missing answer, an unexcused skip or a stale excuse", () => {
    for (const outcome of ["failed", "no-answer", "skipped"] as const) {
      assert.strictEqual(code([passed, result("b", outcome)]), 1)
    }
    assert.strictEqual(code([passed], { complaints: ["a passes: take it out of the expected failures."] }), 1)
    assert.strictEqual(code([passed, result("b", "failed")], { excused: ["b"] }), 1)
  })

  it("is 3 when the target was lost and 4 for a fault of the suite, which takes precedence", () => {
    assert.strictEqual(code([passed, result("b", "no-answer")], {}, "gone"), 3)
    assert.strictEqual(code([result("b", "suite-fault"), result("c", "failed")], {}, "gone"), 4)
    assert.strictEqual(code([result("b", "suite-fault", "SHOULD")]), 4)
  })
})
