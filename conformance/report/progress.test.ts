import { assert, describe, it } from "vitest"
import { coloured, paintFor, plain } from "./paint.ts"
import { linesOfProgress, liveProgress, progressFor, type Progress, type ProgressText } from "./progress.ts"
import { exampleFailure, exampleResult } from "./testing/exampleReport.ts"
import { hostile } from "./testing/hostileTarget.ts"

const passed = exampleResult({ id: "builds.read.url", durationMs: 5 })
const failed = { ...exampleFailure, violation: { expected: "201", came: hostile } }

const events: ReadonlyArray<Progress> = [
  { _tag: "Started", planned: 3 },
  { _tag: "Ended", result: passed, done: 1, planned: 3 },
  { _tag: "Ended", result: failed, done: 2, planned: 3 },
  { _tag: "Ended", result: passed, done: 3, planned: 3 }
]

const written = (text: ProgressText): ReadonlyArray<string> => events.map(text)

/** What a terminal shows after these texts were written. */
const screen = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.split("\r\u001B[2K").at(-1))
    .join("\n")

describe("progress in lines", () => {
  it("has one line to each check, with why it didn't pass", () => {
    const [started, first, second] = written(linesOfProgress(plain))
    assert.strictEqual(started, "3 checks planned.\n")
    assert.strictEqual(first, "✓ builds.read.url 5 ms\n")
    assert.match(second ?? "", /^✗ builds\.finalize\.created 34 ms {2}Failed: <script>.*\n$/)
    assert.notInclude(second, "\u001B")
    assert.notInclude(second, "\u202E")
  })
})

describe("progress on a terminal", () => {
  it("counts in one line, keeps what failed above it, and leaves nothing else", () => {
    const [started, first, second, last] = written(liveProgress(plain, 60))
    assert.strictEqual(screen(`${started}${first}`), "1 of 3  ✓ 1  builds.read.url")
    const [above, live] = screen(`${started}${first}${second}`).split("\n")
    assert.match(above ?? "", /^✗ builds\.finalize\.created/)
    assert.strictEqual(live, "2 of 3  ✗ 1  ✓ 1  builds.finalize.created")
    assert.match(screen(`${started}${first}${second}${last}`), /^✗ builds\.finalize\.created.*\n$/)
  })

  it("never fills more than a line", () => {
    const [, first] = written(liveProgress(plain, 20))
    assert.isAtMost(screen(first ?? "").length, 20)
  })
})

describe("progressFor", () => {
  const terminal = { isTTY: true, columns: 80, hasColors: () => true }

  it("is live on a terminal and in lines in CI and in files", () => {
    const isLive = (text: ProgressText) => text({ _tag: "Started", planned: 1 }).startsWith("\r")
    assert.isTrue(isLive(progressFor(terminal, {})))
    assert.isFalse(isLive(progressFor(terminal, { CI: "true" })))
    assert.isFalse(isLive(progressFor({}, {})))
  })

  it("has colours on a terminal unless NO_COLOR says otherwise", () => {
    assert.strictEqual(paintFor(terminal, {}), coloured)
    assert.strictEqual(paintFor(terminal, { NO_COLOR: "" }), coloured)
    assert.strictEqual(paintFor(terminal, { NO_COLOR: "1" }), plain)
    assert.strictEqual(paintFor({ ...terminal, hasColors: () => false }, {}), plain)
    assert.strictEqual(paintFor({ hasColors: () => true }, {}), plain)
    assert.notStrictEqual(coloured("good", "yes"), "yes")
  })
})
