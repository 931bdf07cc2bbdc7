import { assert, describe, it } from "vitest"
import { badgeMessage, renderBadge } from "./badge.ts"
import type { Report } from "./Report.ts"
import { exampleReport } from "./testing/exampleReport.ts"

const judged = (verdicts: Report["verdicts"], profiles: Report["config"]["profiles"]) => {
  const report = exampleReport([])
  return { ...report, config: { ...report.config, profiles }, verdicts }
}

describe("the badge", () => {
  it("says one verdict once, and each where they differ, the worst first", () => {
    const all = judged({ builds: "conformant", previews: "conformant" }, ["builds", "previews"])
    assert.strictEqual(badgeMessage(all), "conformant · builds, previews")
    const mixed = judged({ builds: "conformant", previews: "partial", testRuns: "failed" }, [
      "builds",
      "previews",
      "testRuns"
    ])
    assert.strictEqual(badgeMessage(mixed), "failed · test runs | partial · previews | conformant · builds")
  })

  it("is as bad as the worst verdict", () => {
    const colour = (report: ReturnType<typeof judged>) =>
      /fill="(#[0-9a-f]+)" d="M[1-9]\d* 0h/.exec(renderBadge(report))?.[1]
    const good = colour(judged({ builds: "conformant" }, ["builds"]))
    const bad = colour(judged({ builds: "failed" }, ["builds"]))
    assert.strictEqual(bad, colour(judged({ builds: "conformant", previews: "failed" }, ["builds", "previews"])))
    assert.notStrictEqual(good, bad)
  })

  it("never says that nothing is conformant", () => {
    const report = judged({}, ["builds"])
    assert.notInclude(renderBadge(report), "conformant")
  })
})
