import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { checks } from "../../checks/index.ts"
import { renderJson } from "../../report/files.ts"
import { assertNoSecrets } from "../../report/testing.ts"
import type { HttpResponse } from "../../session/Exchange.ts"
import { Transport } from "../../session/transport.ts"
import { runTarget, type Target } from "../../testing/target.ts"
import { look } from "../plan.ts"
import { verify } from "../../verify/verify.ts"

/**
 * Runs the whole suite against a target once and answers the report. Every MUST must pass, no report may hold a secret,
 * and the recording must give the same outcomes, choices, ledger and verdicts. The id of the run, from which all values follow
 * that are sent, is random; a failure names the variable that repeats it.
 */
export const mustConform = Effect.fnUntraced(function* (target: Target) {
  const { send } = yield* Transport
  const runId = process.env["SLIPWAY_TEST_RUN_ID"] ?? randomBytes(6).toString("hex")
  const answers: Array<HttpResponse> = []
  const transport = Transport.of({
    send: (request) => Effect.tap(send(request), (answer) => Effect.sync(() => answers.push(answer)))
  })
  yield* look(target.config, target.keys)
  const { exitCode, report } = yield* runTarget(target, { transport, runId })
  const bad = report.checks.filter(({ level, outcome }) => level === "MUST" && outcome !== "passed")
  assert.deepStrictEqual(
    bad.map(({ id, reason, violation }) => ({ id, reason, violation })),
    [],
    `SLIPWAY_TEST_RUN_ID=${runId}`
  )
  assert.deepStrictEqual(Object.values(report.verdicts), ["conformant", "conformant", "conformant"])
  assert.strictEqual(exitCode, 0)
  assert.includeMembers(
    report.checks.map(({ id }) => id),
    checks.map(({ id }) => id)
  )
  assert.deepStrictEqual(report.config, target.config)
  assertNoSecrets(report, target, answers)
  assert.deepStrictEqual((yield* verify(JSON.parse(renderJson(report)))).findings, [], `SLIPWAY_TEST_RUN_ID=${runId}`)
  return report
}, Effect.provide(Transport.layer))
