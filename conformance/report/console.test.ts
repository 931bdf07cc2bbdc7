import { assert, describe, it } from "vitest"
import { excerpt, oneLine, visible } from "./text.ts"
import {
  coloured,
  linesOfProgress,
  liveProgress,
  paintFor,
  plain,
  progressFor,
  renderConsole,
  type Progress,
  type ProgressText
} from "./console.ts"
import { renderHtml } from "./html.ts"
import { exampleFailure, exampleReport, exampleResult, hostile } from "./testing.ts"

describe("the console", () => {
  it("shows everything that helps to fix a failure", () => {
    const text = renderConsole(exampleReport([exampleFailure], { verdicts: { builds: "failed" } }), {
      configFile: "vendor of ours.json"
    })
    for (const said of [
      "✗ Failed  builds.finalize.created  MUST",
      "§4.3 Finalize returns 201 with the ready row, its url and its previewUrl.",
      "expected  Finalize returns 201",
      "came      status 200 with {}",
      "> POST https://service.example/api/v1/builds as account a, key all",
      "< 201 after 12 ms",
      '"token": "‹redacted 1›"',
      `curl -i -X POST https://service.example/api/v1/builds -H 'authorization: Bearer '"$SLIPWAY_CONFORMANCE_KEY_A_ALL"`,
      "npx slipway conformance --config 'vendor of ours.json' --url https://service.example --only builds.finalize.created"
    ]) {
      assert.include(text, said)
    }
    assert.match(text, /builds +failed +1 failed\n$/)
  })

  it("lists what else didn't pass with the reason, and only counts what passed", () => {
    const text = renderConsole(
      exampleReport(
        [
          exampleResult(),
          exampleResult({
            id: "builds.put.as-get",
            level: "SHOULD",
            outcome: "failed",
            violation: { expected: "4xx", came: "It returned 200." }
          }),
          exampleResult({ id: "builds.files", outcome: "skipped", reason: "It can't be." }),
          exampleResult({ id: "builds.read.url", outcome: "expected-failure", reason: "Fixed by spring." })
        ],
        { verdicts: { builds: "partial" } }
      )
    )
    assert.include(text, "▲ builds.put.as-get  SHOULD  It returned 200.")
    assert.include(text, "– builds.files  MUST  It can't be.")
    assert.include(text, "≈ builds.read.url  MUST  Fixed by spring.")
    assert.notInclude(text, "builds.finalize.created")
    assert.match(text, /builds +partial +1 expected to fail, 1 warned, 1 skipped, 1 passed \(partial: /)
  })

  it("has the register of choices in short: what wasn't kept in full, the rest by what was answered", () => {
    const one = (silence: string, answer: number) => ({ silence, answers: [{ answer, checks: ["builds.files"] }] })
    const text = renderConsole(
      exampleReport([exampleResult()], {
        choices: [
          one("builds.a", 404),
          one("builds.b", 404),
          one("builds.c", 404),
          one("builds.d", 404),
          one("builds.put.status", 200),
          {
            silence: "builds.reserve.status",
            answers: [
              { answer: 200, checks: ["builds.files"] },
              { answer: 201, checks: ["builds.read.url"] }
            ]
          }
        ]
      })
    )
    assert.include(text, "6 choices, 5 consistent")
    assert.include(text, "✗ builds.reserve.status  200 in builds.files; 201 in builds.read.url")
    assert.match(text, /404 +4× {2}builds\.a, builds\.b, builds\.c and 1 more/)
    assert.match(text, /200 +1× {2}builds\.put\.status/)
  })

  it("counts what was left, and repeats the notes of the run", () => {
    const text = renderConsole(
      exampleReport([exampleResult()], {
        ledger: [
          { check: "builds.files", what: "build", id: "7" },
          { check: "builds.files", what: "build", id: "8" },
          { check: "builds.files", what: "testRun", id: "9" }
        ]
      }),
      { complaints: ["builds.files passes: take it out of the expected failures."] }
    )
    assert.include(text, "Left on the target: 2 builds and 1 test run, of run 0123456789ab.")
    assert.include(text, "! builds.files passes: take it out of the expected failures.")
  })

  it("is plain unless it is painted", () => {
    const report = exampleReport([exampleFailure])
    assert.notInclude(renderConsole(report), "\u001B[")
    assert.include(renderConsole(report, { paint: coloured }), "\u001B[31m✗ Failed\u001B[39m")
  })

  it("names the implementation, as the config has it", () => {
    const implementation = { organisation: "Acme", name: "Harbour", version: "2.1", contact: "ci@acme.example" }
    const report = exampleReport([exampleResult()])
    const named = { ...report, config: { ...report.config, implementation } }
    assert.include(renderConsole(named), "Harbour 2.1 of Acme (ci@acme.example)")
    assert.include(renderHtml(named), "Harbour 2.1 of Acme (ci@acme.example)")
    assert.notInclude(renderConsole(report), "Harbour")
  })
})

describe("visible", () => {
  it("lets ordinary text of any language be", () => {
    const text = "Größe\tשלום 你好 👍🏽 ‹redacted 1› “quoted”\n  next"
    assert.strictEqual(visible(text), text)
  })

  it("shows what would be obeyed or not be seen", () => {
    assert.strictEqual(visible("\u0000\u001B[31m\u009B\u007F"), String.raw`\u0000\u001b[31m\u009b\u007f`)
    assert.strictEqual(visible("a\u202Eb\u2066c\u200Fd\u200Be\u2028"), String.raw`a\u202eb\u2066c\u200fd\u200be\u2028`)
    assert.strictEqual(visible("\uD800 \uFFFE \uFEFF \u{E0041}"), String.raw`\ud800 \ufffe \ufeff \udb40\udc41`)
  })

  it("ends lines in one way, and shows a return that ends none", () => {
    assert.strictEqual(visible("a\r\nb\rc"), "a\nb\\u000dc")
  })
})

describe("oneLine", () => {
  it("makes one line of many", () => {
    assert.strictEqual(oneLine(" a\n\n  b\tc \r\n"), "a b c")
  })
})

describe("excerpt", () => {
  it("leaves short texts be, and says how much of a long one is left out", () => {
    assert.strictEqual(excerpt("12345", 5), "12345")
    assert.strictEqual(excerpt("1".repeat(2345), 5), "11111… (2,340 characters more)")
  })
})

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
