/** The checks of builds, made of the reference host and of hosts that answer every silence otherwise. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fairHosts } from "../../fair/hosts.ts"
import { levelOf } from "../../requirements/proves.ts"
import { choicesOf, judgeChoices } from "../../run/choices.ts"
import { fairTarget } from "../../testing/fairTarget.ts"
import { referenceHost } from "../../testing/referenceHost.ts"
import type { Target } from "../../testing/Target.ts"
import { tryChecks } from "../../testing/tryChecks.ts"
import type { Check } from "../Check.ts"
import { buildChecks } from "./index.ts"

const musts = buildChecks.filter(({ id }) => levelOf(id) === "MUST")

const passed = { outcome: "passed" }

/** Each passes, also when its recording is judged, and all of them met the same answers to what is silent. */
const mustPass = Effect.fnUntraced(function* (checks: ReadonlyArray<Check>, target: Target) {
  const results = yield* tryChecks(checks, target)
  assert.lengthOf(results, checks.length)
  for (const { id, judged, observations, replayed } of results) {
    assert.deepStrictEqual({ id, ...judged }, { id, ...passed })
    assert.deepStrictEqual(replayed, { judged, observations })
  }
  const choices = choicesOf(results.map(({ id, observations }) => ({ check: id, observations })))
  assert.deepStrictEqual(judgeChoices("builds.choices-kept", choices), passed)
  return results
})

describe("the checks of builds", () => {
  it.live("pass against the reference host, and cost what they say", () =>
    Effect.gen(function* () {
      for (const { exchanges, id } of yield* mustPass(buildChecks, yield* referenceHost())) {
        const bytes = exchanges.reduce((sum, { request }) => sum + (request.content?.sizeBytes ?? 0), 0)
        const { cost } = buildChecks.find((check) => check.id === id) ?? {}
        // Where a PUT may be refused or the finalize after it, the host refuses the PUT.
        const unsent = /put\.(?:shorter|longer|other-bytes|other-type)$/.test(id) && exchanges.length === 2 ? 1 : 0
        assert.deepStrictEqual({ id, requests: exchanges.length + unsent, bytes }, { id, ...cost })
      }
    })
  )

  it.live("that read what is there already make nothing when the config supplies it", () =>
    Effect.gen(function* () {
      const target = yield* referenceHost()
      const reading = buildChecks.filter(({ supplied }) => supplied !== undefined)
      const [made] = yield* tryChecks(
        buildChecks.filter(({ id }) => id === "builds.read.url"),
        target
      )
      const [reserve] = made?.exchanges ?? []
      const { branch } = Object(reserve?.request.json)
      const buildId = made?.exchanges.at(-1)?.request.url.split("/").at(-1)
      assert.isDefined(buildId)
      const supplied = { buildId, buildBranch: branch, buildPlatform: "ios" } as const
      const results = yield* mustPass(reading, { ...target, config: { ...target.config, supplied } })
      assert.isAbove(results.length, 5)
      const sent = results.flatMap(({ exchanges }) => exchanges.map(({ request }) => request.method))
      assert.deepStrictEqual(
        sent.filter((method) => method !== "GET"),
        []
      )
    })
  )

  for (const [name, start] of Object.entries(fairHosts)) {
    it.live(`that are a MUST pass against the host "${name}"`, () =>
      Effect.gen(function* () {
        const host = yield* Effect.acquireRelease(
          Effect.promise(() => start()),
          ({ stop }) => Effect.promise(stop)
        )
        yield* mustPass(musts, fairTarget(host))
      })
    )
  }
})
