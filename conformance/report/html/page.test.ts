import { assert, describe, it } from "vitest"
import { exampleFailure, exampleReport, exampleResult, resolved } from "../testing.ts"
import { renderHtml } from "../html.ts"

/** The text of a page without its markup. */
const read = (page: string): string =>
  resolved(page.replaceAll(/<style>[^]*?<\/style>|<[^>]*>/g, " ")).replaceAll(/\s+/g, " ")

describe("the page", () => {
  it("says the verdict first, with who, what and when", () => {
    const text = read(renderHtml(exampleReport([exampleFailure], { verdicts: { builds: "failed" } })))
    assert.match(
      text,
      /On 21 November 2026 at 12:54 UTC *, Slipway's conformance suite 1\.2\.3 made 1 check of https:\/\/service\.example in 1\.9 s/
    )
    assert.match(text, /The target is not conformant in builds *\./)
    assert.include(text, "0 of 1 binding checks passed")
  })

  it("shows everything that helps to fix a failure, unfolded", () => {
    const page = renderHtml(exampleReport([exampleFailure]), { configFile: "vendor.json" })
    for (const said of [
      "Expected Finalize returns 201",
      "Came status 200 with {}",
      "MUST Finalize returns 201 with the ready row, its url and its previewUrl. §4.3",
      "POST /api/v1/builds",
      "as account a, key all",
      '"token": " ‹redacted 1› "',
      "curl -i -X POST https://service.example/api/v1/builds",
      "npx slipway conformance --config vendor.json --url https://service.example --only builds.finalize.created"
    ]) {
      assert.include(read(page), said)
    }
    assert.match(page, /<details class="check failed" id="check\.builds\.finalize\.created">/)
    assert.match(page, /<details class="exchange" open>/)
    assert.include(page, '<a href="#check.builds.finalize.created">')
  })

  it("folds what passed", () => {
    const page = renderHtml(exampleReport([exampleResult()]))
    assert.match(page, /<details class="check passed" id="check\.builds\.finalize\.created">/)
    assert.notInclude(page, "What failed")
    assert.notInclude(page, "What needs attention")
  })

  it("has a filter for each outcome that occurs, and a rule for it", () => {
    const page = renderHtml(
      exampleReport([exampleFailure, exampleResult({ id: "builds.files", outcome: "skipped", reason: "No." })])
    )
    const filters = [...page.matchAll(/id="show-([\w-]+)"/g)].map(([, name]) => name)
    assert.deepStrictEqual(filters, ["all", "failed", "skipped"])
    for (const name of filters.slice(1)) assert.include(page, `#checks:has(#show-${name}:checked)`)
  })

  it("lists the register of choices, those that weren't kept to first, unfolded", () => {
    const page = renderHtml(
      exampleReport([exampleResult()], {
        choices: [
          { silence: "builds.put.status", answers: [{ answer: 200, checks: ["builds.files"] }] },
          {
            silence: "builds.reserve.status",
            answers: [
              { answer: 200, checks: ["builds.files"] },
              { answer: { odd: true }, checks: ["builds.finalize.created"] }
            ]
          }
        ]
      })
    )
    const text = read(page)
    assert.include(text, "It made 2 choices and did not keep to 1 of them .".replace(" .", "."))
    assert.include(text, 'builds.reserve.status 200 and {"odd":true} builds.files and builds.finalize.created')
    assert.isBelow(text.indexOf("builds.reserve.status"), text.indexOf("builds.put.status"))
  })

  it("shows for every sentence what proved it, what can't be seen, and what this run left out", () => {
    const text = read(renderHtml(exampleReport([exampleResult()])))
    assert.match(
      text,
      /§4\.3 Finalize returns 201 with the ready row[^§]* MUST builds\.finalize\.answer ✓ builds\.finalize\.created/
    )
    assert.match(text, /service\.never-builds Can't be seen from outside\. /)
    assert.include(text, "Not in this run.")
    assert.match(text, /this run looked at 1 and saw all of 1 kept/)
  })

  it("lists what was left, and says how to verify it all", () => {
    const report = exampleReport([exampleResult()], {
      ledger: [{ check: "builds.finalize.created", what: "build", id: "7", url: "https://service.example/builds/7" }]
    })
    const text = read(renderHtml(report))
    assert.match(text, /build https:\/\/service\.example\/builds\/7 builds\.finalize\.created/)
    assert.include(text, "npx slipway conformance verify report.json")
    assert.include(text, `Suite digest ${report.suite.digest}`)
    assert.include(text, `Interface digest ${report.interface.digest}`)
  })

  it("says it when nothing was left and nothing is silent", () => {
    const text = read(renderHtml(exampleReport([exampleResult()])))
    assert.include(text, "What the run made on the target Nothing.")
    assert.include(text, "0 choices")
  })
})
