import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Dialect } from "../dialect/Dialect.ts"
import { Report } from "../report/Report.ts"
import { NoAnswer, Session } from "../session/Session.ts"
import { toAnswer, Transport, type Outgoing } from "../session/transport.ts"
import { exampleCheck, failing, reading, skipping } from "../testing/exampleChecks.ts"
import { exampleTarget } from "../testing/exampleConfig.ts"
import type { Check } from "../checks/steps/Check.ts"
import { plan } from "./plan.ts"
import { run } from "./run.ts"
import { linesOfProgress, type Progress } from "../report/progress.ts"
import { renderConsole } from "../report/console.ts"
import { renderHtml } from "../report/html/page.ts"
import { renderJunit } from "../report/junit.ts"
import { plain } from "../report/paint.ts"

const target = { ...exampleTarget, config: { ...exampleTarget.config, profiles: ["builds"] as const } }

/** A run of these checks over a transport with these answers. */
const running = Effect.fnUntraced(function* (
  checks: ReadonlyArray<Check>,
  answer: (request: Outgoing) => Effect.Effect<ReturnType<typeof toAnswer>, NoAnswer> = () =>
    Effect.succeed(toAnswer(200, {}, "{}")),
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

const hungUp = (url: string) => Effect.fail(new NoAnswer({ url, reason: "It hung up." }))

const observing = (silence: string, answer: number) =>
  Effect.flatMap(Session, ({ observe }) => observe(silence, answer))

describe("a run", () => {
  it.effect("reports the planned checks in the planned order, whichever ends first", () =>
    Effect.gen(function* () {
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
  )

  it.effect("fails only the check of consistent choices when a silence got two answers", () =>
    Effect.gen(function* () {
      const { exitCode, report } = yield* running([
        exampleCheck("builds.one", observing("builds.reserve.status", 201)),
        exampleCheck("builds.two", observing("builds.reserve.status", 200))
      ])
      assert.deepStrictEqual(
        report.checks.map(({ outcome }) => outcome),
        ["passed", "passed", "failed"]
      )
      assert.strictEqual(report.choices.length, 1)
      assert.strictEqual(exitCode, 1)
    })
  )

  it.effect("reports a defect of a check as the suite's own fault", () =>
    Effect.gen(function* () {
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
  )

  it.effect("lists what was made in the ledger", () =>
    Effect.gen(function* () {
      const making = Effect.flatMap(Session, ({ made }) => made({ kind: "build", id: "7" }))
      const { report } = yield* running([exampleCheck("builds.one", making)])
      assert.deepStrictEqual(report.ledger, [{ check: "builds.one", what: "build", id: "7" }])
    })
  )

  it.effect("sends no check where nothing answers", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(running([exampleCheck("builds.one", reading("1"))], ({ url }) => hungUp(url)))
      assert.deepStrictEqual([error._tag, error.message], ["Unreachable", "It hung up."])
    })
  )

  it.effect("stops when the target is lost in the middle, and reports it for all remaining checks", () =>
    Effect.gen(function* () {
      let asked = 0
      const checks = Array.from({ length: 40 }, (_, index) => exampleCheck(`builds.${index}`, reading(String(index))))
      const { complaints, exitCode, report } = yield* running(
        checks,
        ({ url }) => (++asked > 5 ? hungUp(url) : Effect.succeed(toAnswer(200, {}, "{}"))),
        { concurrency: 2 }
      )
      assert.isBelow(asked, 12)
      assert.strictEqual(exitCode, 3)
      assert.deepStrictEqual(complaints, ["In the middle of the run: It hung up."])
      assert.deepStrictEqual(report.verdicts, { builds: "failed" })
      assert.strictEqual(report.checks.filter(({ outcome }) => outcome === "no-answer").length, 36)
    })
  )

  it.effect("is 3 when the target is lost after a check of a SHOULD, and keeps the request that had no answer", () =>
    Effect.gen(function* () {
      const checks = [
        exampleCheck("builds.put.as-get", Effect.andThen(reading("innocent"), reading("last"))),
        exampleCheck("builds.quick")
      ]
      let isGone = false
      const { exitCode, report } = yield* running(checks, ({ url }) => {
        isGone ||= url.endsWith("last")
        return isGone ? hungUp(url) : Effect.succeed(toAnswer(200, {}, "{}"))
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
    })
  )

  it.effect("fails where one request of a SHOULD had no answer, and names the request", () =>
    Effect.gen(function* () {
      const checks = [exampleCheck("builds.put.as-get", reading("last"))]
      const { complaints, exitCode, report } = yield* running(checks, ({ url }) =>
        url.endsWith("last") ? hungUp(url) : Effect.succeed(toAnswer(200, {}, "{}"))
      )
      assert.strictEqual(exitCode, 1)
      assert.deepStrictEqual(report.verdicts, { builds: "failed" })
      assert.deepStrictEqual(complaints, [
        "builds.put.as-get: GET https://service.example/api/v1/builds/last had no answer. It hung up."
      ])
    })
  )

  it.effect("says what it waits for when the target answers 429 for ever, and ends as unreachable", () =>
    Effect.gen(function* () {
      const checks = Array.from({ length: 40 }, (_, index) => exampleCheck(`builds.${index}`, reading(String(index))))
      const answer = ({ url }: Outgoing) => Effect.succeed(toAnswer(/\d$/.test(url) ? 429 : 401, {}, "{}"))
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
  )

  it.effect("continues when only some requests get no answer", () =>
    Effect.gen(function* () {
      const checks = Array.from({ length: 8 }, (_, index) => exampleCheck(`builds.${index}`, reading(String(index))))
      const { exitCode, report } = yield* running(checks, ({ url }) =>
        /[0-4]$/.test(url) ? hungUp(url) : Effect.succeed(toAnswer(200, {}, "{}"))
      )
      assert.strictEqual(exitCode, 1)
      assert.strictEqual(report.checks.filter(({ outcome }) => outcome === "passed").length, 3)
    })
  )

  it.effect("ends at its deadline even when a check hangs", () =>
    Effect.gen(function* () {
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
      assert.strictEqual(exitCode, 1)
    })
  )
})
