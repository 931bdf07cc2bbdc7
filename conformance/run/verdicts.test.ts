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
  it("is conformant when every MUST passed, whatever should be", () => {
    assert.strictEqual(verdict(passed, result("b", "failed", "SHOULD"), result("c", "skipped", "MAY")), "conformant")
  })

  it("is partial when a MUST wasn't seen, and nothing else was", () => {
    for (const outcome of ["skipped", "expected-failure", "suite-fault"] as const) {
      assert.strictEqual(verdict(passed, result("b", outcome)), "partial")
    }
    assert.strictEqual(verdictsOf(["builds"], [passed], [passed, { id: "b", profile: "builds" }]).builds, "partial")
    assert.strictEqual(verdictsOf(["previews"], [passed], [{ id: "p", profile: "previews" }]).previews, "partial")
  })

  it("is failed when a MUST isn't, or has no answer", () => {
    for (const outcome of ["failed", "no-answer"] as const) {
      assert.strictEqual(verdict(passed, result("b", "skipped"), result("c", outcome)), "failed")
    }
  })

  it("is given to each profile claimed, and to no other", () => {
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

  it("is 0 when all that must be passed, is expected to fail, or may be skipped", () => {
    assert.strictEqual(code([passed, result("b", "failed", "SHOULD"), result("c", "expected-failure")]), 0)
    assert.strictEqual(code([passed, result("b", "skipped")], { excused: ["b"] }), 0)
  })

  it("is 1 for a violation, no answer, a skip without excuse, an excuse to be mended", () => {
    for (const outcome of ["failed", "no-answer", "skipped"] as const) {
      assert.strictEqual(code([passed, result("b", outcome)]), 1)
    }
    assert.strictEqual(code([passed], { complaints: ["a passes: take it out of the expected failures."] }), 1)
    assert.strictEqual(code([passed, result("b", "failed")], { excused: ["b"] }), 1)
  })

  it("is 3 when the target was lost, 4 when the suite is at fault, which comes first", () => {
    assert.strictEqual(code([passed, result("b", "no-answer")], {}, "gone"), 3)
    assert.strictEqual(code([result("b", "suite-fault"), result("c", "failed")], {}, "gone"), 4)
    assert.strictEqual(code([result("b", "suite-fault", "SHOULD")]), 4)
  })
})
