import { assert, describe } from "@effect/vitest"
import { Effect, Schema, Struct, type Scope } from "effect"
import { it } from "../../core/testing/layer.ts"
import { checks } from "../checks/index.ts"
import { brokenTargets, type Broken } from "../fair/hosts.ts"
import { renderJson } from "../report/files.ts"
import type { CheckResult, Report } from "../report/Report.ts"
import { exampleFailure, exampleReport, exampleResult, hostileTarget } from "../report/testing.ts"
import type { Expectation } from "../run/judge.ts"
import { exampleTarget } from "../testing/example.ts"
import { referenceHost, runTarget, type Target } from "../testing/target.ts"
import {
  diff,
  Difference,
  renderDiff,
  renderVerification,
  thisSuite,
  Verification,
  verify as verifyWith
} from "./verify.ts"

/** A small suite: what is proved of its reports doesn't depend on how many checks there are. */
const few = checks.filter(({ id }) =>
  ["builds.finalize.created", "builds.files", "builds.finalize.foreign-account", "builds.latest.url"].includes(id)
)
const verify = (report: unknown) =>
  verifyWith(
    report,
    Effect.map(thisSuite, (suite) => ({ ...suite, checks: few }))
  )

const ofBuilds = ({ config, keys }: Target): Target => ({ keys, config: { ...config, profiles: ["builds"] } })

const targetAt = ({ url }: { readonly url: string }): Target =>
  ofBuilds({ ...exampleTarget, config: { ...exampleTarget.config, url } })

const brokenTarget = (start: () => Promise<Broken>) =>
  Effect.map(
    Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop)),
    targetAt
  )

/** The report of a run, as it is read from its file. */
const reportOf = (
  target: Effect.Effect<Target, unknown, Scope.Scope>,
  options: Parameters<typeof runTarget>[1] = {}
): Promise<Report> =>
  target.pipe(
    Effect.flatMap((one) => runTarget(one, { checks: few, ...options })),
    Effect.map(({ report }) => JSON.parse(renderJson(report))),
    Effect.scoped,
    Effect.runPromise
  )

const conformant = await reportOf(Effect.map(referenceHost(), ofBuilds))
const failed = await reportOf(brokenTarget(brokenTargets.emptyObjects))

const confirmed = Effect.fnUntraced(function* (report: Report) {
  const verification = yield* verify(report)
  assert.deepStrictEqual(verification.findings, [])
  assert.strictEqual(verification.verdict, "confirmed")
  assert.deepStrictEqual(verification.verdicts, report.verdicts)
  return verification
})

describe("an honest report is confirmed", () => {
  it.effect("when all passed", function* () {
    assert.deepStrictEqual(conformant.verdicts, { builds: "conformant" })
    const verification = yield* confirmed(conformant)
    assert.strictEqual(verification.checks, conformant.checks.length)
    assert.deepStrictEqual(verification.notes, [])
  })

  it.effect("when hardly anything did", function* () {
    assert.deepStrictEqual(failed.verdicts, { builds: "failed" })
    yield* confirmed(failed)
  })

  it.live("when some of it was expected to fail", function* () {
    const expectations: ReadonlyArray<Expectation> = [
      { check: "builds.finalize.created", reason: "Fixed by spring.", expires: "2999-01-01" }
    ]
    const only = ["builds.finalize.created", "builds.files"]
    const report = yield* Effect.promise(() =>
      reportOf(brokenTarget(brokenTargets.emptyObjects), { expectations, only })
    )
    assert.strictEqual(report.checks.find(({ id }) => id === only[0])?.outcome, "expected-failure")
    const { notes } = yield* confirmed(report)
    assert.match(notes.join(), /The run left out \d+ of the \d+ checks of its profiles: /)
  })

  it.live("when the target answered hostile texts, and when it hung up in the middle", function* () {
    yield* confirmed(yield* Effect.promise(() => reportOf(Effect.map(hostileTarget, ofBuilds))))
    const { report } = yield* runTarget(yield* Effect.map(referenceHost(), ofBuilds), {
      checks: few,
      only: ["builds.files"]
    })
    const cut = report.checks.map((one) => {
      const reason = "It hung up."
      return one.id === "builds.files"
        ? { ...one, outcome: "no-answer" as const, reason, exchanges: one.exchanges.slice(0, 2) }
        : one
    })
    const { findings } = yield* verify({ ...report, checks: cut })
    assert.deepStrictEqual(
      findings.filter(({ about }) => about === "builds.files"),
      []
    )
  })

  it.live("of a target that can't be reached there is none", function* () {
    const error = yield* Effect.flip(Effect.flatMap(brokenTarget(brokenTargets.closing), (target) => runTarget(target)))
    assert.strictEqual(error._tag, "Unreachable")
  })
})

/** The report with other members, as it is read from its file: `undefined` leaves one out. */
const saying = (report: Report, members: Readonly<Record<string, unknown>>): unknown =>
  JSON.parse(JSON.stringify({ ...report, ...members }))

/** The report with other members of one of its checks. */
const withCheck = (report: Report, id: string, members: Readonly<Record<string, unknown>>): unknown =>
  saying(report, { checks: report.checks.map((one) => (one.id === id ? { ...one, ...members } : one)) })

const exchangesOf = (id: string): CheckResult["exchanges"] =>
  conformant.checks.find((one) => one.id === id)?.exchanges ?? []

/** The conformant report with other members of the request and of the answer of one exchange of a check. */
const withExchange = (
  id: string,
  place: number,
  change: (exchange: CheckResult["exchanges"][number]) => Readonly<Record<"request" | "answer", object>>
): unknown => {
  const exchanges = exchangesOf(id)
  const changed = { ...exchanges.at(place), ...change(exchanges.at(place)!) }
  return withCheck(conformant, id, { exchanges: Array.from<unknown>(exchanges).with(place, changed) })
}

const files = "builds.files"
const foreign = "builds.finalize.foreign-account"
const { checks: made, run } = conformant
const others = made.filter(({ id }) => id !== foreign)
const plannedWithout = run.planned.filter((id) => id !== foreign)
const deep = JSON.parse(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)

/** Manipulations of a report, and the finding that reports each. */
const doctored: ReadonlyArray<readonly [what: string, about: string, report: unknown]> = [
  ["a failed check is called passed", files, withCheck(failed, files, { violation: undefined, outcome: "passed" })],
  [
    "a failed check is called skipped",
    files,
    withCheck(failed, files, { violation: undefined, outcome: "skipped", reason: "Why not." })
  ],
  [
    "a passed check is called expected to fail",
    foreign,
    withCheck(conformant, foreign, { outcome: "expected-failure", reason: "Who knows." })
  ],
  [
    "a passed check is called failed",
    foreign,
    withCheck(conformant, foreign, { outcome: "failed", violation: { expected: "4xx", came: "200" } })
  ],
  [
    "a passed check is said to have had no answer",
    foreign,
    withCheck(conformant, foreign, { outcome: "no-answer", reason: "It hung up." })
  ],
  [
    "another violation is claimed",
    files,
    withCheck(failed, files, { violation: { expected: "Nothing much", came: "Nearly that" } })
  ],
  [
    "the status of an answer is another",
    foreign,
    withExchange(foreign, 3, ({ answer, request }) => ({ request, answer: { ...answer, status: 200 } }))
  ],
  [
    "the body of an answer is another",
    "builds.latest.url",
    withExchange("builds.latest.url", -1, ({ answer, request }) => ({
      request,
      answer: { ...answer, text: answer.text.replace("/builds/", "/build/") }
    }))
  ],
  [
    "a request was made with another key",
    foreign,
    withExchange(foreign, 3, ({ answer, request }) => ({ answer, request: { ...request, as: "none" } }))
  ],
  [
    "a request was to another place",
    foreign,
    withExchange(foreign, -1, ({ answer, request }) => ({
      answer,
      request: { ...request, url: `${request.url}/other` }
    }))
  ],
  [
    "an exchange is left out",
    foreign,
    withCheck(conformant, foreign, { exchanges: exchangesOf(foreign).slice(0, -1) })
  ],
  [
    "an exchange is there twice",
    foreign,
    withCheck(conformant, foreign, { exchanges: [...exchangesOf(foreign), ...exchangesOf(foreign).slice(-1)] })
  ],
  ["a check is left out", "plan", { ...conformant, checks: others }],
  [
    "a check is left out of the plan too",
    "verdicts",
    { ...conformant, checks: others, run: { ...run, planned: plannedWithout } }
  ],
  ["a check is there twice", "plan", { ...conformant, checks: [...made, ...made.slice(-1)] }],
  [
    "a check is of no suite",
    "plan",
    saying(conformant, {
      checks: [...made, { ...made[0], id: "builds.is.great" }],
      run: { ...run, planned: [...run.planned, "builds.is.great"] }
    })
  ],
  [
    "the checks are in another order",
    "plan",
    { ...conformant, checks: made.toReversed(), run: { ...run, planned: run.planned.toReversed() } }
  ],
  ["a check binds less", files, withCheck(failed, files, { level: "MAY" })],
  ["a check is called otherwise", foreign, withCheck(conformant, foreign, { title: "All is well." })],
  ["a check proves more", foreign, withCheck(conformant, foreign, { requirements: ["limits.clamped"] })],
  ["a verdict is another", "verdicts", { ...failed, verdicts: { builds: "conformant" } }],
  [
    "a verdict is of another profile",
    "verdicts",
    { ...conformant, verdicts: { ...conformant.verdicts, previews: "conformant" } }
  ],
  ["a verdict is missing", "verdicts", { ...conformant, verdicts: {} }],
  ["a choice is another", "choices", { ...conformant, choices: conformant.choices.slice(1) }],
  ["something that was made isn't listed", "ledger", { ...conformant, ledger: conformant.ledger.slice(1) }],
  ["the run is another", foreign, { ...conformant, run: { ...run, id: "ffffffffffff" } }],
  ["its challenge is another", "challenge", { ...conformant, run: { ...conformant.run, challenge: "tuesday" } }],
  ["the suite's version is another", "suite", { ...conformant, suite: { ...conformant.suite, version: "9.9.9" } }],
  ["the interface is another", "interface", { ...conformant, interface: { digest: "0".repeat(64) } }],
  ["it has an outcome that there isn't", "report", withCheck(conformant, foreign, { outcome: "fine" })],
  ["it has a field that there isn't", "report", { ...conformant, trust: "me" }],
  ["it is a list", "report", [conformant]],
  ["it is nothing", "report", null],
  [
    "a choice is nested deeper than a stack is",
    "choices",
    { ...conformant, choices: [{ silence: "deep", answers: [{ checks: [], answer: deep }] }] }
  ]
]

describe("a doctored report is not confirmed", () => {
  for (const [what, about, report] of doctored) {
    it.effect(`when ${what}`, function* () {
      const verification = yield* verify(report)
      assert.strictEqual(verification.verdict, "not confirmed")
      assert.include(
        verification.findings.map((finding) => finding.about),
        about
      )
      for (const { sentence } of verification.findings) assert.isNotEmpty(sentence)
    })
  }

  it.effect("and reports the verdict that follows: a failure that was called passed still fails", function* () {
    const checks = failed.checks.map((one) => ({ ...Struct.omit(one, ["violation"]), outcome: "passed" as const }))
    const { verdicts } = yield* verify({ ...failed, checks, verdicts: { builds: "conformant" } })
    assert.deepStrictEqual(verdicts, { builds: "failed" })
  })
})

describe("a verification", () => {
  it.effect("is what its schema says, and reads well on a terminal", function* () {
    const [good, bad, none] = [
      yield* verify(conformant),
      yield* verify({ ...failed, verdicts: { builds: "conformant" } }),
      yield* verify(null)
    ]
    for (const one of [good, bad, none]) {
      const read = yield* Schema.decodeEffect(Schema.fromJsonString(Verification))(JSON.stringify(one))
      assert.deepStrictEqual(read, one)
    }
    assert.match(
      renderVerification(good),
      /^✓ Confirmed of http:\S+\n {2}\d+ checks judged again .*: builds conformant\.\n/
    )
    assert.include(
      renderVerification(bad),
      "✗ verdicts  The report says of builds: conformant; from the recorded answers follows: failed."
    )
    assert.match(renderVerification(none), /✗ report .*\n✗ Not confirmed: 1 finding\n$/)
  })
})

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
