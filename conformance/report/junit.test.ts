import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { brokenTargets } from "../fair/hosts.ts"
import { exampleTarget } from "../testing/exampleConfig.ts"
import { referenceHost } from "../testing/referenceHost.ts"
import { runTarget } from "../testing/runTarget.ts"
import { renderJunit } from "./junit.ts"
import { exampleFailure, exampleReport, exampleResult } from "./testing/exampleReport.ts"
import { hasXmllint, xmllint } from "./testing/xmllint.ts"

describe("JUnit", () => {
  it("has a testsuite to each profile with its counts, and a testcase to each check", () => {
    const xml = renderJunit(
      exampleReport([
        exampleFailure,
        exampleResult({ id: "builds.files" }),
        exampleResult({ id: "builds.read.url", outcome: "no-answer", reason: "It hung up." }),
        exampleResult({ id: "builds.read.foreign", outcome: "suite-fault", reason: "We erred." }),
        exampleResult({
          id: "builds.put.as-get",
          level: "SHOULD",
          outcome: "failed",
          violation: { expected: "4xx", came: "200" }
        }),
        exampleResult({ id: "builds.put.longer", outcome: "expected-failure", reason: "Fixed by spring." }),
        exampleResult({ id: "runs.list.limit", profile: "testRuns", outcome: "skipped", reason: "It can't be." })
      ])
    )
    assert.include(xml, `<testsuite name="Slipway interface: builds" tests="6" failures="1" errors="2" skipped="2"`)
    assert.include(xml, `<testsuite name="Slipway interface: test runs" tests="1" failures="0" errors="0" skipped="1"`)
    assert.include(xml, `<testsuites name="Slipway conformance" tests="7" failures="1" errors="2"`)
    assert.match(
      xml,
      /<testcase name="builds\.finalize\.created: Finalize returns 201\." [^>]*><failure type="failed" message="Failed: status 200 with \{\}">/
    )
    assert.match(xml, /<testcase name="builds\.files: [^>]*><\/testcase>/)
    assert.match(xml, /builds\.read\.url: [^>]*><error type="no-answer" message="No answer: It hung up\.">/)
    assert.match(xml, /builds\.read\.foreign: [^>]*><error type="suite-fault"/)
    assert.match(xml, /builds\.put\.as-get: [^>]*><skipped type="warning" message="Warning: 200">/)
    assert.match(
      xml,
      /builds\.put\.longer: [^>]*><skipped type="expected-failure" message="Expected to fail: Fixed by spring\.">/
    )
  })

  it("shows of a failure the sentence, the exchange and how to do it again", () => {
    const xml = renderJunit(exampleReport([exampleFailure]), { configFile: "vendor.json" })
    assert.include(xml, "Sentence: §4.3 Finalize returns 201")
    assert.include(xml, "POST https://service.example/api/v1/builds as account a, key all")
    assert.include(xml, "curl -i -X POST")
    assert.include(
      xml,
      "npx slipway conformance --config vendor.json --url https://service.example --only builds.finalize.created"
    )
  })

  it("keeps what it writes of a check within bounds", () => {
    const text = "<".repeat(100_000)
    const exchanges = Array.from({ length: 200 }, () => ({
      ...exampleFailure.exchanges[0]!,
      answer: { status: 200, headers: {}, text }
    }))
    const violation = { expected: "It is short", came: text }
    assert.isBelow(renderJunit(exampleReport([{ ...exampleFailure, exchanges, violation }])).length, 500_000)
  })
})

describe.skipIf(!hasXmllint)("JUnit, against its schema", () => {
  it.live("fits it when all passed, and when hardly anything did", () =>
    Effect.gen(function* () {
      const broken = yield* Effect.acquireRelease(Effect.promise(brokenTargets.emptyObjects), ({ stop }) =>
        Effect.promise(stop)
      )
      const { config, keys } = exampleTarget
      const failed = yield* runTarget({ keys, config: { ...config, url: broken.url } })
      const passed = yield* runTarget(yield* referenceHost(), {
        only: ["builds.files", "previews.finalize.all-objects"]
      })
      for (const { report } of [failed, passed]) {
        assert.strictEqual(yield* Effect.promise(() => xmllint(renderJunit(report), "junit.xsd")), "")
      }
    }).pipe(Effect.scoped)
  )

  it("is refused when it doesn't fit", async () => {
    const xml = renderJunit(exampleReport([exampleFailure]))
      .replace("<failure ", "<failed ")
      .replace("</failure>", "</failed>")
    assert.include(await xmllint(xml, "junit.xsd"), "failed")
    assert.include(await xmllint("<a>]]></a>"), "parser error")
  })
})
