import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { referenceHost, runTarget } from "../testing/target.ts"
import {
  badgeMessage,
  privateKeyIn,
  renderBadge,
  renderJson,
  renderJunit,
  reportJsonSchema,
  signatureOf,
  signed
} from "./files.ts"
import { exampleFailure, exampleReport, exampleResult, hasXmllint, xmllint } from "./testing.ts"
import { brokenTargets } from "../fair/hosts.ts"
import { exampleTarget } from "../testing/example.ts"
import type { Report } from "./Report.ts"
import { generateKeyPairSync } from "node:crypto"

const validate = new Ajv2020({ strict: false }).compile(reportJsonSchema())

describe("a report in JSON", () => {
  it("is read back as it was", () => {
    const odd = { expected: "\u{E0041} \uD800 \u202E \u009B ‹redacted 1›", came: "\u0000\r\n\t\\u0041" }
    const report = exampleReport([{ ...exampleFailure, violation: odd }])
    assert.deepStrictEqual(JSON.parse(renderJson(report)), report)
  })

  it.live("fits its schema, also of a real run", () =>
    Effect.gen(function* () {
      const { report } = yield* runTarget(yield* referenceHost(), { only: ["builds.finalize.foreign-account"] })
      assert.isTrue(validate(JSON.parse(renderJson(report))), JSON.stringify(validate.errors))
    }).pipe(Effect.scoped)
  )

  for (const [what, wrong] of [
    ["an outcome that there isn't", { checks: [{ ...exampleFailure, outcome: "fine" }] }],
    ["a field that there isn't", { signature: "trust me" }],
    ["no digest", { suite: { version: "1.2.3" } }]
  ] as const) {
    it(`with ${what} doesn't fit its schema`, () => {
      const report = JSON.parse(JSON.stringify({ ...exampleReport([exampleFailure]), ...wrong }))
      assert.isFalse(validate(report))
    })
  }
})

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
        exampleResult({ id: "runs.list.newest-first", profile: "testRuns", outcome: "skipped", reason: "It can't be." })
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

const judged = (verdicts: Report["verdicts"], profiles: Report["config"]["profiles"]) => {
  const report = exampleReport([])
  return { ...report, config: { ...report.config, profiles }, verdicts }
}

describe("the badge", () => {
  it("says one verdict once, and each where they differ, the worst first, of which target, day and suite", () => {
    const where = "service.example · 2026-11-21 · suite 1.2.3"
    const all = judged({ builds: "conformant", previews: "conformant" }, ["builds", "previews"])
    assert.strictEqual(badgeMessage(all), `conformant · builds, previews | ${where}`)
    const mixed = judged({ builds: "conformant", previews: "partial", testRuns: "failed" }, [
      "builds",
      "previews",
      "testRuns"
    ])
    assert.strictEqual(badgeMessage(mixed), `failed · test runs | partial · previews | conformant · builds | ${where}`)
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

  it("links the report where it is published", () => {
    const report = judged({ builds: "conformant" }, ["builds"])
    assert.include(renderBadge(report, "https://example.com/r?a=1&b=2"), '<a href="https://example.com/r?a=1&amp;b=2">')
  })
})

const pem = ({ privateKey }: ReturnType<typeof generateKeyPairSync>): string =>
  privateKey.export({ type: "pkcs8", format: "pem" }).toString()

const key = () => privateKeyIn(pem(generateKeyPairSync("ed25519"))) ?? assert.fail("no key")

describe("a signature", () => {
  it("is over the whole report, in whatever order and layout its file has it", () => {
    const report = signed(exampleReport([]), key())
    const said = JSON.parse(renderJson(report))
    assert.isTrue(signatureOf(said, report)?.fits)
    const reordered = Object.fromEntries(Object.entries(said).toReversed())
    assert.isTrue(signatureOf(JSON.parse(JSON.stringify(reordered)), report)?.fits)
    for (const change of [
      { verdicts: { builds: "partial" } },
      { run: { ...said.run, id: "another" } },
      { config: { ...said.config, implementation: { organisation: "Another", name: "another" } } }
    ]) {
      assert.isFalse(signatureOf({ ...said, ...change }, report)?.fits, JSON.stringify(change))
    }
  })

  it("names its key, and fits only with that", () => {
    const [one, other] = [signed(exampleReport([]), key()), signed(exampleReport([]), key())]
    const said = JSON.parse(renderJson(one))
    assert.match(signatureOf(said, one)?.by ?? "", /^SHA256:[\w-]{43}$/)
    assert.notStrictEqual(signatureOf(said, one)?.by, signatureOf(said, other)?.by)
    const { publicKey = "" } = other.signature ?? {}
    const swapped = { signature: { algorithm: "ed25519", publicKey, value: one.signature?.value ?? "" } } as const
    assert.isFalse(signatureOf(said, swapped)?.fits)
    const nonsense = { signature: { algorithm: "ed25519", publicKey: "AAAA", value: "" } } as const
    assert.isFalse(signatureOf(said, nonsense)?.fits)
    assert.isUndefined(signatureOf(said, {}))
  })

  it("is by an Ed25519 key and by no other", () => {
    assert.isUndefined(privateKeyIn(pem(generateKeyPairSync("ed448"))))
    assert.isUndefined(privateKeyIn("no key"))
  })
})
