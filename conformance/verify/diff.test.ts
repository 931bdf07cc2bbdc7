import { assert, describe, it } from "vitest"
import { Schema } from "effect"
import { exampleFailure, exampleReport, exampleResult } from "../report/testing/exampleReport.ts"
import { Difference } from "./Difference.ts"
import { diff } from "./diff.ts"
import { renderDiff } from "./renderDiff.ts"

const choice = (silence: string, answer: number, check: string) => ({ silence, answers: [{ answer, checks: [check] }] })

const before = exampleReport(
  [
    exampleResult(),
    exampleResult({ id: "builds.files", outcome: "failed", violation: { expected: "One", came: "None." } }),
    exampleResult({ id: "builds.put.longer", outcome: "skipped", reason: "It can't be." }),
    exampleResult({ id: "builds.read.url" })
  ],
  { choices: [choice("builds.reserve.status", 200, "builds.files"), choice("builds.put.status", 200, "builds.files")] }
)

const after = exampleReport(
  [
    exampleFailure,
    exampleResult({ id: "builds.files" }),
    exampleResult({ id: "builds.put.longer", outcome: "no-answer", reason: "It hung up." }),
    exampleResult({ id: "builds.latest.url" })
  ],
  {
    suite: { version: "1.2.4", digest: "5".repeat(64) },
    verdicts: { builds: "failed" },
    choices: [choice("builds.reserve.status", 201, "builds.files"), choice("builds.put.status", 200, "builds.read.url")]
  }
)

describe("the difference of two reports", () => {
  const difference = diff(before, after)

  it("is what changed, and nothing else", () => {
    assert.deepStrictEqual(difference, {
      ground: [{ what: "suite version", before: "1.2.3", after: "1.2.4" }],
      verdicts: [{ profile: "builds", before: "conformant", after: "failed" }],
      checks: [
        { id: "builds.finalize.created", before: "passed", after: "failed", reason: "status 200 with {}" },
        { id: "builds.files", before: "failed", after: "passed" },
        { id: "builds.put.longer", before: "skipped", after: "no-answer", reason: "It hung up." },
        { id: "builds.read.url", before: "passed" },
        { id: "builds.latest.url", after: "passed" }
      ],
      choices: [{ silence: "builds.reserve.status", before: [200], after: [201] }]
    })
  })

  it("is what its schema says", () => {
    assert.deepStrictEqual(Schema.decodeUnknownSync(Difference)(JSON.parse(JSON.stringify(difference))), difference)
  })

  it("reads well on a terminal, the worse first", () => {
    assert.strictEqual(
      renderDiff(difference),
      [
        "Another target or suite",
        "  suite version: 1.2.3 → 1.2.4",
        "",
        "Verdicts",
        "  builds: conformant → failed",
        "",
        "Passed before, not now: 1 check",
        "  builds.finalize.created  passed → failed: status 200 with {}",
        "",
        "Passes now, not before: 1 check",
        "  builds.files  failed → passed",
        "",
        "Not made before: 1 check",
        "  builds.latest.url  nothing → passed",
        "",
        "Not made now: 1 check",
        "  builds.read.url  passed → nothing",
        "",
        "Otherwise than before: 1 check",
        "  builds.put.longer  skipped → no-answer: It hung up.",
        "",
        "Choices",
        "  builds.reserve.status: [200] → [201]",
        ""
      ].join("\n")
    )
  })

  it("is nothing between a report and itself", () => {
    assert.deepStrictEqual(diff(before, before), { ground: [], verdicts: [], checks: [], choices: [] })
    assert.strictEqual(renderDiff(diff(before, before)), "Nothing changed.\n")
  })

  it("isn't led astray by names that every object has", () => {
    const odd = exampleReport([], {
      choices: [choice("constructor", 200, "builds.files"), choice("__proto__", 200, "builds.files")]
    })
    assert.deepStrictEqual(
      diff(exampleReport([]), odd).choices.map(({ silence }) => silence),
      ["constructor", "__proto__"]
    )
  })
})
