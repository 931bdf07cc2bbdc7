import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { TestRun } from "../model/TestRun.ts"
import { failed, minute, run } from "../rules/testing/historyOfRuns.ts"
import { resultsOf } from "../rules/testResults.ts"
import { PackedResults, packRecent, packResults } from "./packedResults.ts"

describe("the stored text of results", () => {
  const texts = { failureMessage: '",\n[1],"', source: "a,\\n1", device: { name: "[,]" }, job: "0" }
  const before = Array.from({ length: 30 }, (_, at) => failed(`run ${at}`, at, at % 3 === 0 ? texts : {}))
  const stored = packResults(resultsOf(before))
  const read = Schema.decodeSync(PackedResults)(stored)

  it("is read as it was", () => {
    assert.deepStrictEqual(read, resultsOf(before))
    assert.strictEqual(packResults(read, read), stored)
  })

  it.for<readonly [what: string, run: TestRun]>([
    ["a new result", run("new", 50)],
    ["one in the middle", failed("late", 50, { startedAt: minute(7), ...texts })],
    ["another run of a result", run("again", 50, { source: texts.source })]
  ])("is the same with the texts that were read: %s", ([, added]) => {
    const results = resultsOf([added], read)
    assert.strictEqual(packResults(results, read), packResults(results))
  })

  it("is read as the results, whether few or all are written", () => {
    const writes = { few: 0, all: 0 }
    let [text, recent] = [stored, ""]
    for (const at of Array.from({ length: 150 }, (_, index) => 100 + index)) {
      const known = Schema.decodeSync(PackedResults)(text + recent)
      const source = { source: `ci:${at - (at % 7 === 0 ? 9 : 0)}` }
      const results = resultsOf(
        [at % 5 === 0 ? failed(`run ${at}`, at, { ...texts, ...source }) : run(`run ${at}`, at, source)],
        known
      )
      const few = packRecent(results, known)
      ;[text, recent] = few === undefined ? [packResults(results, known), ""] : [text, few]
      writes[few === undefined ? "all" : "few"] += 1
      assert.deepStrictEqual(Schema.decodeSync(PackedResults)(text + recent), results)
    }
    assert.isAbove(writes.few, 5 * writes.all)
  })

  it("is the same without a result", () => {
    const results = read.filter((_, at) => at !== 4)
    assert.strictEqual(packResults(results, read), packResults(results))
  })
})
