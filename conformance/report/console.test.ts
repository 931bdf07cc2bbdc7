import { assert, describe, it } from "vitest"
import { renderConsole } from "./console.ts"
import { renderHtml } from "./html/page.ts"
import { coloured } from "./paint.ts"
import { exampleFailure, exampleReport, exampleResult } from "./testing/exampleReport.ts"

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
