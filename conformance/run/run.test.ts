import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { it } from "../../core/testing/layer.ts"
import { Dialect } from "../dialect/Dialect.ts"
import { Report, type CheckResult, type Outcome } from "../report/Report.ts"
import { NoResponse, Session } from "../session/Session.ts"
import { toResponse, Transport, type Outgoing } from "../session/transport.ts"
import { exampleCheck, exampleTarget, failing, reading, skipping } from "../testing/example.ts"
import type { Check } from "../checks/steps.ts"
import {
  block,
  choicesOf,
  expect,
  judgeChoices,
  readExpectations,
  verdictsOf,
  type Ended,
  type Planned
} from "./judge.ts"
import { exitCode, plan } from "./plan.ts"
import { run } from "./run.ts"
import { linesOfProgress, plain, renderConsole, type Progress } from "../report/console.ts"
import { renderHtml } from "../report/html.ts"
import { renderJunit } from "../report/files.ts"

const target = { ...exampleTarget, config: { ...exampleTarget.config, profiles: ["builds"] as const } }

/** A run of these checks over a transport with these answers. */
const running = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  answer: (request: Outgoing) => Effect.Effect<ReturnType<typeof toResponse>, NoResponse> = () =>
    Effect.succeed(toResponse(200, {}, "{}")),
  config: Partial<typeof target.config> = {}
) {
  const progress: Array<Progress> = []
  const finished = yield* run({
    id: "run",
    config: { ...target.config, ...config },
    keys: target.keys,
    plan: yield* plan(checks, { profiles: ["builds"], only: [], readOnly: false }),
    expectations: [],
    onProgress: (one) => Effect.sync(() => void progress.push(one))
  }).pipe(Effect.provide(Layer.succeed(Transport, Transport.of({ send: answer }))))
  return { ...finished, progress }
})

const hungUp = (url: string) => Effect.fail(new NoResponse({ url, reason: "It hung up." }))

const observing = (silence: string, answer: number) =>
  Effect.flatMap(Session, ({ observe }) => observe(silence, answer))

describe("a run", () => {
  it.effect("reports the planned checks in the planned order, whichever ends first", function* () {
    const last = yield* Deferred.make<void>()
    const { progress, report } = yield* running([
      exampleCheck("builds.slow", Deferred.await(last)),
      exampleCheck("builds.failing", failing),
      exampleCheck("builds.skipped", skipping),
      exampleCheck("builds.quick", Effect.andThen(reading("7"), Deferred.succeed(last, undefined)))
    ])
    const ids = ["builds.slow", "builds.failing", "builds.skipped", "builds.quick", "builds.choices-kept"]
    assert.deepStrictEqual(report.run.planned, ids)
    assert.deepStrictEqual(
      report.checks.map(({ id }) => id),
      ids
    )
    assert.deepStrictEqual(
      report.checks.map(({ outcome }) => outcome),
      ["passed", "failed", "skipped", "passed", "skipped"]
    )
    assert.deepStrictEqual(report.checks[1]?.violation, { expected: "It is so", came: "It isn't" })
    assert.strictEqual(report.checks[3]?.exchanges[0]?.request.url, "https://service.example/api/v1/builds/7")
    assert.deepStrictEqual(report.verdicts, { builds: "failed" })
    assert.deepStrictEqual(progress[0], { _tag: "Started", planned: 5 })
    assert.deepStrictEqual(
      progress.flatMap((one) => (one._tag === "Ended" ? [one.result.id] : [])).toSorted(),
      ids.toSorted()
    )
    yield* Schema.decodeUnknownEffect(Report)(JSON.parse(JSON.stringify(report)), { onExcessProperty: "error" })
  })

  it.effect("warns of choices that differ when a silence got two answers", function* () {
    const { exitCode, report } = yield* running([
      exampleCheck("builds.one", observing("builds.reserve.status", 201)),
      exampleCheck("builds.two", observing("builds.reserve.status", 200))
    ])
    assert.deepStrictEqual(
      report.checks.map(({ outcome }) => outcome),
      ["passed", "passed", "failed"]
    )
    assert.strictEqual(report.checks[2]?.level, "SHOULD")
    assert.strictEqual(report.choices.length, 1)
    assert.strictEqual(exitCode, 0)
  })

  it.effect("reports a defect of a check as the suite's own fault", function* () {
    const thrown = exampleCheck(
      "builds.one",
      Effect.sync(() => JSON.parse("{"))
    )
    const unfit = exampleCheck(
      "builds.two",
      Dialect.use((dialect) => Effect.asVoid(dialect.registerRun({}, "none")))
    )
    const { exitCode, report } = yield* running([thrown, unfit])
    assert.deepStrictEqual(report.checks.map(({ outcome }) => outcome).slice(0, 2), ["suite-fault", "suite-fault"])
    assert.match(report.checks[1]?.reason ?? "", /The suite would send previewShareId/)
    assert.strictEqual(exitCode, 4)
  })

  it.effect("lists what was made in the ledger", function* () {
    const making = Effect.flatMap(Session, ({ made }) => made({ kind: "build", id: "7" }))
    const { report } = yield* running([exampleCheck("builds.one", making)])
    assert.deepStrictEqual(report.ledger, [{ check: "builds.one", what: "build", id: "7" }])
  })

  it.effect("sends no check where nothing answers", function* () {
    const error = yield* Effect.flip(running([exampleCheck("builds.one", reading("1"))], ({ url }) => hungUp(url)))
    assert.deepStrictEqual([error._tag, error.message], ["Unreachable", "It hung up."])
  })

  it.effect("stops when the target is lost in the middle, and reports it for all remaining checks", function* () {
    let asked = 0
    const checks = Array.from({ length: 40 }, (_, index) => exampleCheck(`builds.${index}`, reading(String(index))))
    const { complaints, exitCode, report } = yield* running(
      checks,
      ({ url }) => (++asked > 5 ? hungUp(url) : Effect.succeed(toResponse(200, {}, "{}"))),
      { concurrency: 2 }
    )
    assert.isBelow(asked, 12)
    assert.strictEqual(exitCode, 3)
    assert.deepStrictEqual(complaints, ["In the middle of the run: It hung up."])
    assert.deepStrictEqual(report.verdicts, { builds: "inconclusive" })
    assert.strictEqual(report.checks.filter(({ outcome }) => outcome === "no-answer").length, 36)
  })

  it.effect(
    "is 3 when the target is lost after a check of a SHOULD, and keeps the request that had no answer",
    function* () {
      const checks = [
        exampleCheck("builds.put.as-get", Effect.andThen(reading("innocent"), reading("last"))),
        exampleCheck("builds.quick")
      ]
      let isGone = false
      const { exitCode, report } = yield* running(checks, ({ url }) => {
        isGone ||= url.endsWith("last")
        return isGone ? hungUp(url) : Effect.succeed(toResponse(200, {}, "{}"))
      })
      assert.strictEqual(exitCode, 3)
      const [lost] = report.checks
      assert.strictEqual(lost?.level, "SHOULD")
      assert.lengthOf(lost?.exchanges ?? [], 1)
      assert.strictEqual(lost?.unanswered?.url, "https://service.example/api/v1/builds/last")
      assert.include(renderConsole(report), "https://service.example/api/v1/builds/last")
      assert.include(renderJunit(report), "https://service.example/api/v1/builds/last")
      assert.include(renderHtml(report), "no answer")
      yield* Schema.decodeUnknownEffect(Report)(JSON.parse(JSON.stringify(report)), { onExcessProperty: "error" })
    }
  )

  it.effect("is inconclusive where one request of a SHOULD had no answer, and names the request", function* () {
    const checks = [exampleCheck("builds.put.as-get", reading("last"))]
    const { complaints, exitCode, report } = yield* running(checks, ({ url }) =>
      url.endsWith("last") ? hungUp(url) : Effect.succeed(toResponse(200, {}, "{}"))
    )
    assert.strictEqual(exitCode, 3)
    assert.deepStrictEqual(report.verdicts, { builds: "inconclusive" })
    assert.deepStrictEqual(complaints, [
      "builds.put.as-get: GET https://service.example/api/v1/builds/last had no answer. It hung up."
    ])
  })

  it.effect("says what it waits for when the target answers 429 for ever, and ends as unreachable", function* () {
    const checks = Array.from({ length: 40 }, (_, index) => exampleCheck(`builds.${index}`, reading(String(index))))
    const answer = ({ url }: Outgoing) => Effect.succeed(toResponse(/\d$/.test(url) ? 429 : 401, {}, "{}"))
    const made = yield* Effect.forkChild(running(checks, answer))
    yield* TestClock.adjust("30 seconds")
    const { complaints, exitCode, progress, report } = yield* Fiber.join(made)
    assert.strictEqual(exitCode, 3)
    const reason = "https://service.example returns 429, too many requests, after 4 retries in 15 seconds."
    assert.deepStrictEqual(complaints, [`In the middle of the run: ${reason}`])
    assert.strictEqual(report.checks[0]?.reason, reason)
    const lines = progress.map(linesOfProgress(plain)).join("")
    assert.include(lines, "builds.0 waits 8 s: the target returns 429 to https://service.example/api/v1/builds/0")
    assert.isBelow(lines.split("\n").length, 60)
    assert.isBelow(renderConsole(report).split("\n").length, 40)
  })

  it.effect("continues when only some requests get no answer", function* () {
    const checks = Array.from({ length: 8 }, (_, index) => exampleCheck(`builds.${index}`, reading(String(index))))
    const { exitCode, report } = yield* running(checks, ({ url }) =>
      /[0-4]$/.test(url) ? hungUp(url) : Effect.succeed(toResponse(200, {}, "{}"))
    )
    assert.strictEqual(exitCode, 3)
    assert.strictEqual(report.checks.filter(({ outcome }) => outcome === "passed").length, 3)
  })

  it.effect("ends at its deadline even when a check hangs", function* () {
    const checks = [
      exampleCheck("builds.quick"),
      exampleCheck("builds.hangs", Effect.andThen(reading("1"), Effect.never)),
      exampleCheck("builds.waits")
    ]
    const made = yield* Effect.forkChild(running(checks, undefined, { concurrency: 1, deadlineMs: 5000 }))
    yield* TestClock.adjust("5 seconds")
    const { exitCode, report } = yield* Fiber.join(made)
    assert.deepStrictEqual(report.checks.map(({ outcome }) => outcome).slice(0, 3), [
      "passed",
      "no-answer",
      "no-answer"
    ])
    assert.match(report.checks[1]?.reason ?? "", /^The deadline of the run, 5 seconds, came before/)
    assert.lengthOf(report.checks[1]?.exchanges ?? [], 1)
    assert.strictEqual(exitCode, 3)
  })
})

const failed = (id: string, step?: string) => ({ id, outcome: "failed", step }) as const
const passed = (id: string) => ({ id, outcome: "passed" }) as const

const outcomes = (...results: ReadonlyArray<Ended & { readonly id: string }>) =>
  block(results).map(({ blockedBy, outcome }) => (blockedBy === undefined ? outcome : `${outcome} by ${blockedBy}`))

describe("a check whose preparation failed", () => {
  it("is blocked by the check that tests that step, and by the one which that comes down to", () => {
    assert.deepStrictEqual(outcomes(failed("list", "put"), failed("put"), passed("read")), [
      "blocked by put",
      "failed",
      "passed"
    ])
    assert.deepStrictEqual(outcomes(failed("list", "finalize"), failed("finalize", "put"), failed("put")), [
      "blocked by put",
      "blocked by put",
      "failed"
    ])
  })

  it("is blocked by a check that had no answer", () => {
    assert.deepStrictEqual(outcomes(failed("list", "put"), { id: "put", outcome: "no-answer" }), [
      "blocked by put",
      "no-answer"
    ])
  })

  it("fails when that check passed or wasn't made, and when two steps would only block each other", () => {
    assert.deepStrictEqual(outcomes(failed("list", "put"), passed("put")), ["failed", "passed"])
    assert.deepStrictEqual(outcomes(failed("list", "put")), ["failed"])
    assert.deepStrictEqual(outcomes(failed("one", "two"), failed("two", "one")), ["failed", "failed"])
  })
})

const result = (id: string, outcome: Outcome, level: CheckResult["level"] = "MUST"): CheckResult => ({
  id,
  profile: "builds",
  title: id,
  level,
  requirements: [],
  outcome,
  durationMs: 1,
  exchanges: []
})

const verdict = (...results: ReadonlyArray<CheckResult>) => verdictsOf(["builds"], results, results).builds

const passedCheck = result("a", "passed")

describe("a verdict", () => {
  it("is conformant when every MUST passed, whatever the SHOULDs did", () => {
    assert.strictEqual(
      verdict(passedCheck, result("b", "failed", "SHOULD"), result("c", "skipped", "MAY")),
      "conformant"
    )
  })

  it("is partial when a MUST wasn't judged and none failed", () => {
    for (const outcome of ["skipped", "expected-failure", "suite-fault"] as const) {
      assert.strictEqual(verdict(passedCheck, result("b", outcome)), "partial")
    }
    assert.strictEqual(
      verdictsOf(["builds"], [passedCheck], [passedCheck, { id: "b", profile: "builds" }]).builds,
      "partial"
    )
    assert.strictEqual(verdictsOf(["previews"], [passedCheck], [{ id: "p", profile: "previews" }]).previews, "partial")
  })

  it("is failed when a MUST failed, and inconclusive when none did and a request had no answer", () => {
    const silent = result("c", "no-answer")
    assert.strictEqual(verdict(passedCheck, silent, result("b", "failed")), "failed")
    assert.strictEqual(verdict(passedCheck, result("b", "skipped"), silent), "inconclusive")
  })

  it("is given for each claimed profile and for no other", () => {
    const results = [passedCheck, { ...result("p", "failed"), profile: "previews" as const }]
    assert.deepStrictEqual(verdictsOf(["builds", "previews"], results, results), {
      builds: "conformant",
      previews: "failed"
    })
  })
})

describe("an exit code", () => {
  const code = (
    results: ReadonlyArray<CheckResult>,
    more: { excused?: ReadonlyArray<string>; complaints?: ReadonlyArray<string> } = {},
    lost?: string
  ) => exitCode({ results, excused: [], complaints: [], ...more }, lost)

  it("is 0 when every MUST passed, is expected to fail or is excused", () => {
    assert.strictEqual(code([passedCheck, result("b", "failed", "SHOULD"), result("c", "expected-failure")]), 0)
    assert.strictEqual(code([passedCheck, result("b", "skipped")], { excused: ["b"] }), 0)
  })

  it("is 1 for a violation, an unexcused skip or a stale excuse, and 3 for a missing answer alone", () => {
    for (const outcome of ["failed", "skipped"] as const) {
      assert.strictEqual(code([passedCheck, result("b", outcome), result("c", "no-answer")]), 1)
    }
    assert.strictEqual(code([passedCheck, result("c", "no-answer")]), 3)
    assert.strictEqual(code([passedCheck], { complaints: ["a passes: take it out of the expected failures."] }), 1)
    assert.strictEqual(code([passedCheck, result("b", "failed")], { excused: ["b"] }), 1)
  })

  it("is 3 when the target was lost and 4 for a fault of the suite, which takes precedence", () => {
    assert.strictEqual(code([passedCheck, result("b", "no-answer")], {}, "gone"), 3)
    assert.strictEqual(code([result("b", "suite-fault"), result("c", "failed")], {}, "gone"), 4)
    assert.strictEqual(code([result("b", "suite-fault", "SHOULD")]), 4)
  })
})

const ids = ["builds.one", "builds.two", "builds.three"]
const entry = { check: "builds.one", reason: "Being fixed", expires: "2026-12-31" }

const refusal = (text: string) => Effect.map(Effect.flip(readExpectations(text, ids)), ({ message }) => message)

describe("a file of expected failures", () => {
  it.effect("is a list of checks with reasons and days", function* () {
    assert.deepStrictEqual(yield* readExpectations(JSON.stringify([entry]), ids), [entry])
  })

  it.effect("is refused when it is anything else", function* () {
    for (const unfit of [
      "",
      "{}",
      "[1]",
      ...[{ reason: "" }, { expires: "soon" }, { expires: "2026-13-01" }, { why: "" }].map((wrong) =>
        JSON.stringify([{ ...entry, ...wrong }])
      )
    ]) {
      assert.match(yield* refusal(unfit), /^The expected failures must be/)
    }
    assert.match(
      yield* refusal(JSON.stringify([{ ...entry, check: "builds.oen" }])),
      /^No check is called builds\.oen; did you mean builds\.one\?$/
    )
    assert.strictEqual(yield* refusal(JSON.stringify([entry, entry])), "The expected failures name builds.one twice")
  })
})

describe("what is expected of results", () => {
  const result = (id: string, outcome: Outcome): CheckResult => ({
    id,
    profile: "builds",
    title: id,
    level: "MUST",
    requirements: [],
    outcome,
    ...(outcome === "failed" ? { violation: { expected: "e", came: "c" } } : {}),
    durationMs: 1,
    exchanges: []
  })
  const planned = ids.map((id): Planned => ({
    id,
    profile: "builds",
    title: id,
    level: "MUST",
    requirements: [],
    check: undefined
  }))
  const today = "2026-12-24"
  const expected = (outcome: Outcome, expires: string) =>
    expect([result("builds.one", outcome), result("builds.two", "failed")], [{ ...entry, expires }], { planned }, today)

  it("an expected failure or missing answer gets the reason, and no other result does", () => {
    for (const outcome of ["failed", "no-answer"] as const) {
      const { complaints, results } = expected(outcome, today)
      assert.deepInclude(results[0], { outcome: "expected-failure", reason: "Being fixed" })
      assert.strictEqual(results[1]?.outcome, "failed")
      assert.deepStrictEqual(complaints, [])
    }
    assert.deepStrictEqual(expected("failed", today).results[0]?.violation, { expected: "e", came: "c" })
  })

  it("a skipped check is excused and stays skipped", () => {
    const { excused, results } = expected("skipped", today)
    assert.strictEqual(results[0]?.outcome, "skipped")
    assert.deepStrictEqual(excused, ["builds.one"])
  })

  it("an expired entry excuses nothing and is reported", () => {
    const { complaints, excused, results } = expected("failed", "2026-12-23")
    assert.strictEqual(results[0]?.outcome, "failed")
    assert.deepStrictEqual(excused, [])
    assert.deepStrictEqual(complaints, ["The expected failure of builds.one expired on 2026-12-23."])
  })

  it("an entry whose check passes is reported, and one whose check isn't run is not", () => {
    assert.deepStrictEqual(expected("passed", today).complaints, [
      "builds.one passes: take it out of the expected failures."
    ])
    const other = expect([result("builds.two", "passed")], [entry], { planned: planned.slice(1) }, today)
    assert.deepStrictEqual(other.complaints, [])
  })
})

const observed = [
  {
    check: "builds.one",
    observations: [
      { silence: "builds.reserve.status", answer: 201 },
      { silence: "builds.reserve.status", answer: 201 }
    ]
  },
  {
    check: "builds.two",
    observations: [
      { silence: "builds.reserve.status", answer: 201 },
      { silence: "builds.a", answer: { b: null } }
    ]
  },
  { check: "runs.one", observations: [{ silence: "runs.list", answer: ["x"] }] },
  { check: "runs.two", observations: [{ silence: "runs.list", answer: ["y"] }] },
  { check: "runs.three", observations: [{ silence: "runs.list", answer: ["x"] }] }
]

describe("the register of choices", () => {
  it("lists each silence once, with the checks that saw each answer", () => {
    assert.deepStrictEqual(choicesOf(observed), [
      { silence: "builds.a", answers: [{ answer: { b: null }, checks: ["builds.two"] }] },
      { silence: "builds.reserve.status", answers: [{ answer: 201, checks: ["builds.one", "builds.two"] }] },
      {
        silence: "runs.list",
        answers: [
          { answer: ["x"], checks: ["runs.one", "runs.three"] },
          { answer: ["y"], checks: ["runs.two"] }
        ]
      }
    ])
  })

  it("passes where each silence of a profile got one answer, whichever it is", () => {
    const choices = choicesOf(observed)
    assert.deepStrictEqual(judgeChoices("builds.choices-kept", choices), { outcome: "passed" })
    const runs = judgeChoices("runs.choices-kept", choices)
    assert.strictEqual(runs.outcome, "failed")
    assert.strictEqual(runs.violation?.came, 'runs.list: ["x"] in runs.one, runs.three; ["y"] in runs.two')
    assert.strictEqual(judgeChoices("previews.choices-kept", choices).outcome, "skipped")
  })
})
