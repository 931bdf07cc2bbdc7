import { assert, describe, it } from "@effect/vitest"
import { makeCalls } from "../runtime/calls.ts"
import { optionalIn, requiredIn } from "./absent.ts"
import { makeTimeline } from "./reports.ts"

const [mark, measure] = [1, 2]
const timeline = () => makeTimeline(makeCalls((error) => assert.fail(String(error))))

describe("the performance timeline", () => {
  it("lists marks and measures by their start, and forgets the cleared ones", () => {
    const made = timeline()
    made.reportMark("loaded", 20)
    made.reportMark("began", 10)
    made.reportMeasure("load", 10, 10)
    assert.deepStrictEqual(
      made.getEntries().map(({ name }) => name),
      ["began", "load", "loaded"]
    )
    assert.deepStrictEqual(made.getEntriesByName("load", measure), [
      { name: "load", entryType: measure, startTime: 10, duration: 10 }
    ])
    assert.strictEqual(made.getMarkTime("loaded"), 20)
    made.clearMarks("began")
    made.clearMeasures(undefined)
    assert.deepStrictEqual(
      made.getEntries().map(({ name }) => name),
      ["loaded"]
    )
  })

  it("gives an observer what it observes, also from before", async () => {
    const made = timeline()
    made.reportMark("before", 1)
    const names = await new Promise<ReadonlyArray<string>>((resolve) => {
      const observer = made.createObserver(() => resolve(made.takeRecords(observer).map(({ name }) => name)))
      made.observe(observer, { type: mark, buffered: true })
      made.reportMeasure("not observed", 1, 1)
      made.reportMark("after", 2)
    })
    assert.deepStrictEqual(names, ["before", "after"])
  })
})

describe("modules that React Native works without", () => {
  it("are not those that the bundle requires", () => {
    const bundle = `o.default=t.getEnforcing('NativePerformanceCxx'),n=(0,t.getEnforcing)("AppState")`
    assert.deepStrictEqual([...requiredIn(bundle)], ["NativePerformanceCxx", "AppState"])
    assert.isTrue(optionalIn("").has("NativePerformanceCxx"))
    assert.isFalse(optionalIn(bundle).has("NativePerformanceCxx"))
  })
})
