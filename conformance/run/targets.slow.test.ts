/**
 * The whole suite against the reference host, and against servers that aren't hosts. `fairHosts.matrix.test.ts` runs it
 * against hosts that answer every silence differently.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { it } from "../../core/testing/layer.ts"
import { checks } from "../checks/index.ts"
import { brokenTargets } from "../fair/hosts.ts"
import { exampleTarget } from "../testing/example.ts"
import { referenceHost, runTarget } from "../testing/target.ts"
import { verify } from "../verify/verify.ts"
import { mustConform } from "./testing/mustConform.ts"

/** Everything that was started is stopped when the scope closes. */
const started = <Host extends { readonly stop: () => Promise<void> }>(start: () => Promise<Host>) =>
  Effect.acquireRelease(
    Effect.promise(() => start()),
    (host) => Effect.promise(() => host.stop())
  )

/** How many requests these checks send depends on the host: where it refuses, and how fast it answers. */
const varying =
  /\.put\.(?:shorter|longer|empty|other-bytes|other-bytes-of-update|other-type)$|\.mistakes\.gzip$|^runs\.list\.newest-/

/** Drawn sequences send at most what is declared. */
const isDrawn = (id: string): boolean => id.includes(".drawn.")

// They run concurrently, because a run mostly waits for consistency windows and rate limits.
describe.concurrent("the whole suite", () => {
  it.live("finds the reference host conformant, and each check sends as many requests as it declares", function* () {
    const report = yield* mustConform(yield* referenceHost())
    const skipped = report.checks.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id)
    const made = checks.filter(({ id }) => !skipped.includes(id))
    const costs = made.map(({ cost, id }) => {
      const { exchanges = [] } = report.checks.find((one) => one.id === id) ?? {}
      const bytes = exchanges.reduce((sum, { request }) => sum + (request.content?.sizeBytes ?? 0), 0)
      const isWithin = (isDrawn(id) || varying.test(id)) && exchanges.length <= cost.requests
      return {
        id,
        requests: isWithin ? cost.requests : exchanges.length,
        bytes: isDrawn(id) ? cost.bytes : bytes
      }
    })
    assert.deepStrictEqual(
      costs,
      made.map(({ cost, id }) => ({ id, ...cost }))
    )
    assert.isAtMost(
      checks.reduce((sum, { cost }) => sum + cost.requests, 0),
      4000
    )
    assert.deepStrictEqual(skipped, [
      "builds.put.expired",
      "builds.finalize.expired",
      "previews.put.expired",
      "previews.finalize.expired"
    ])
  })

  for (const name of ["emptyObjects", "nothingThere"] as const) {
    it.live(`finds that something else answers: ${name}`, function* () {
      const { url } = yield* started(brokenTargets[name])
      const { exitCode, report } = yield* runTarget({ ...exampleTarget, config: { ...exampleTarget.config, url } })
      assert.strictEqual(exitCode, 1)
      assert.deepStrictEqual(Object.values(report.verdicts), ["failed", "failed", "failed"])
      assert.deepStrictEqual((yield* verify(report)).findings, [])
    })
  }
})
