/** The whole suite against hosts that run: the reference host, hosts that answer every silence otherwise, and no host at all. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { checks } from "../checks/index.ts"
import { places } from "../dialect/search.ts"
import { brokenTargets } from "../fair/broken.ts"
import { fairHosts } from "../fair/hosts.ts"
import { testEngines } from "../../hosts/http/testing/engines.ts"
import type { Report } from "../report/Report.ts"
import { assertNoSecrets } from "../report/testing/assertNoSecrets.ts"
import type { Answer, Json } from "../session/Exchange.ts"
import { Transport } from "../session/transport.ts"
import { exampleTarget } from "../testing/exampleConfig.ts"
import { fairTarget } from "../testing/fairTarget.ts"
import { referenceHost } from "../testing/referenceHost.ts"
import { runTarget } from "../testing/runTarget.ts"
import type { Target } from "../testing/Target.ts"
import { judgeAgain } from "./judgeAgain.ts"

/** What opens something in a value: tokens, and of URLs to PUT to the signature, or the path where there is no query. */
const opens = (name: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "string") return []
  if (/token/i.test(name)) return [value]
  if (name !== "putUrl") return []
  const { pathname, searchParams } = new URL(value)
  const signatures = [...searchParams].filter(([name]) => /sig/i.test(name))
  return searchParams.size === 0 ? [pathname] : signatures.map(([, value]) => value)
}

/** The transport, what the target really answered over it, and every secret that it told. */
const listening = Effect.map(Transport, ({ send }) => {
  const answers: Array<Answer> = []
  const secrets = new Set<string>()
  const hear = (json: Json | undefined) => {
    for (const { name, value } of places(json)) for (const secret of opens(name, value)) secrets.add(secret)
  }
  const transport = Transport.of({
    send: (request) =>
      Effect.tap(send(request), (answer) =>
        Effect.sync(() => {
          answers.push(answer)
          hear(answer.json)
        })
      )
  })
  return { answers, secrets, transport }
})

/** What was started is stopped when the scope closes. */
const started = <Host extends { readonly stop: () => Promise<void> }>(start: () => Promise<Host>) =>
  Effect.acquireRelease(
    Effect.promise(() => start()),
    (host) => Effect.promise(() => host.stop())
  )

/** Every MUST was made and passed. */
const assertConformant = (report: Report, target: Target) => {
  const bad = report.checks.filter(({ level, outcome }) => level === "MUST" && outcome !== "passed")
  assert.deepStrictEqual(
    bad.map(({ id, reason, violation }) => ({ id, reason, violation })),
    []
  )
  assert.deepStrictEqual(Object.values(report.verdicts), ["conformant", "conformant", "conformant"])
  assert.deepStrictEqual(
    report.checks.map(({ id }) => id),
    report.run.planned
  )
  assert.includeMembers(
    report.run.planned.map(String),
    checks.map(({ id }) => id)
  )
  assert.deepStrictEqual(report.config, target.config)
}

/** Whatever the target told, and no key is in the report. */
const assertNoSecret = (report: Report, { keys }: Target, told: ReadonlySet<string>) => {
  const text = JSON.stringify(report)
  const secrets = [...told, ...Object.values(keys).flatMap((some) => Object.values(some).map(Redacted.value))]
  assert.isAbove(secrets.length, 200)
  assert.deepStrictEqual(
    secrets.filter((secret) => text.includes(secret)),
    []
  )
  assert.notMatch(text, /X-Amz-Signature=(?!‹)/)
  assert.include(text, "‹redacted 1›")
}

/**
 * Runs the suite, which must find the target conformant, say nothing secret of it in any report, and find the same in the
 * recording.
 */
const mustConform = Effect.fnUntraced(function* (target: Target) {
  const { answers, secrets, transport } = yield* listening
  const { exitCode, report } = yield* runTarget(target, { transport })
  assertConformant(report, target)
  assert.strictEqual(exitCode, 0)
  assertNoSecret(report, target, secrets)
  assertNoSecrets(report, target, answers)
  yield* assertSameAgain(report)
}, Effect.provide(Transport.layer))

/** A recording says of each check what the target did. */
const assertSameAgain = Effect.fnUntraced(function* ({ checks: results, config, run }: Report) {
  for (const check of checks) {
    const result = results.find(({ id }) => id === check.id)
    assert.isDefined(result, check.id)
    if (result === undefined) continue
    const { judged } = yield* judgeAgain(check, { id: run.id, config }, result)
    const { outcome, reason, violation } = result
    assert.deepStrictEqual(
      { id: check.id, reason: judged.reason, outcome: judged.outcome, violation: judged.violation },
      { id: check.id, reason, outcome, violation }
    )
  }
})

describe("the whole suite", () => {
  for (const engines of testEngines()) {
    it.live(
      `finds the reference host on ${engines.metadata} and ${engines.objects} conformant, and so does its recording; no report holds a secret of it`,
      () =>
        Effect.gen(function* () {
          yield* mustConform(yield* referenceHost({ engines }))
        }).pipe(Effect.scoped)
    )
  }

  for (const [name, start] of Object.entries(fairHosts)) {
    it.live(`finds the fair host ${name} conformant, and so does its recording; no report holds a secret of it`, () =>
      Effect.gen(function* () {
        yield* mustConform(fairTarget(yield* started(start)))
      }).pipe(Effect.scoped)
    )
  }

  for (const name of ["emptyObjects", "nothingThere"]) {
    it.live(`finds that something else answers: ${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* started(brokenTargets[name] ?? (() => Promise.reject(new Error(name))))
        const { exitCode, report } = yield* runTarget({ ...exampleTarget, config: { ...exampleTarget.config, url } })
        assert.strictEqual(exitCode, 1)
        assert.deepStrictEqual(Object.values(report.verdicts), ["failed", "failed", "failed"])
        yield* assertSameAgain(report)
      }).pipe(Effect.scoped)
    )
  }

  for (const name of ["hanging", "closing", "garbage", "untrusted"]) {
    it.live(`ends before it begins where nothing answers HTTP: ${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* started(brokenTargets[name] ?? (() => Promise.reject(new Error(name))))
        const config = { ...exampleTarget.config, url, timeoutMs: 500 }
        const error = yield* Effect.flip(runTarget({ ...exampleTarget, config }))
        assert.strictEqual(error._tag, "Unreachable")
        assert.include(error.message, url)
      }).pipe(Effect.scoped)
    )
  }
})
