import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { it } from "../../core/testing/layer.ts"
import { checks } from "../checks/index.ts"
import { Transport } from "../session/transport.ts"
import { referenceHost, runTarget } from "../testing/target.ts"
import { verify } from "../verify/verify.ts"
import { plan } from "./plan.ts"
import { run } from "./run.ts"

/** The transport, and the method of every request that it sent. */
const listening = () => {
  const methods: Array<string> = []
  const layer = Layer.effect(
    Transport,
    Effect.map(Transport, ({ send }) =>
      Transport.of({
        send: (request) => Effect.suspend(() => (methods.push(request.method), send(request)))
      })
    )
  ).pipe(Layer.provide(Transport.layer))
  return { methods, layer }
}

it.live("a read-only run reads what is supplied and sends nothing else", function* () {
  const target = yield* referenceHost()
  const { report: made } = yield* runTarget(target, { only: ["builds.read.url", "previews.metadata.url"] })
  const [build, preview] = made.checks
  const { branch } = Object(build?.exchanges[0]?.request.json)
  const supplied = {
    buildId: build?.exchanges.at(-1)?.request.url.split("/").at(-1) ?? "",
    buildBranch: branch,
    buildPlatform: "ios",
    shareId: preview?.exchanges.at(-1)?.request.url.split("/").at(-1) ?? ""
  } as const
  const selection = { profiles: target.config.profiles, only: [], readOnly: true, supplied }
  const { layer, methods } = listening()
  const { exitCode, report } = yield* run({
    id: "0123456789ab",
    config: { ...target.config, supplied },
    keys: target.keys,
    plan: yield* plan(checks, selection),
    expectations: [],
    onProgress: () => Effect.void
  }).pipe(Effect.provide(layer))
  assert.deepStrictEqual([...new Set(methods)], ["GET"])
  assert.isAbove(methods.length, 20)
  assert.deepStrictEqual(
    report.checks.filter(({ outcome }) => outcome !== "passed").map(({ id }) => id),
    []
  )
  for (const [area, least] of Object.entries({ builds: 8, previews: 4, runs: 6 })) {
    assert.isAtLeast(report.checks.filter(({ id }) => id.startsWith(`${area}.`)).length, least, area)
  }
  assert.deepStrictEqual((yield* verify({ ...report })).findings, [])
  assert.strictEqual(exitCode, 0)
  assert.deepStrictEqual(Object.values(report.verdicts), ["partial", "partial", "partial"])
  assert.deepStrictEqual(report.ledger, [])
})
