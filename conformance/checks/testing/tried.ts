import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { fairHosts } from "../../fair/hosts.ts"
import { levelOf } from "../../requirements/proves.ts"
import { choicesOf, choicesKept, judgeChoices } from "../../run/choices.ts"
import { fairTarget } from "../../testing/fairTarget.ts"
import type { Made } from "../../session/Session.ts"
import type { Target } from "../../testing/Target.ts"
import { tryChecks } from "../../testing/tryChecks.ts"
import type { Check } from "../steps/Check.ts"

const madeIn = ({ made }: { readonly made: ReadonlyArray<Made> }) =>
  made.map(({ id, url = "", what }) => ({ id, url, what }))

/** Each passes, also when its recording is judged, and all of them met the same answers to what is silent. */
export const mustPass = Effect.fnUntraced(function* (checks: ReadonlyArray<Check>, target: Target) {
  const results = yield* tryChecks(checks, target)
  assert.lengthOf(results, checks.length)
  for (const { id, judged, made, observations, replayed } of results) {
    assert.deepStrictEqual({ id, ...judged }, { id, outcome: "passed" })
    assert.deepStrictEqual(replayed.judged, judged)
    assert.deepStrictEqual(replayed.observations, observations)
    assert.sameDeepMembers(madeIn(replayed), madeIn({ made }))
  }
  const choices = choicesOf(results.map(({ id, observations }) => ({ check: id, observations })))
  for (const { id, profile } of choicesKept) {
    if (checks.some((check) => check.profile === profile)) {
      assert.deepStrictEqual(judgeChoices(id, choices), { outcome: "passed" })
    }
  }
  return results
})

type Results = Effect.Success<ReturnType<typeof mustPass>>

/** How many requests these take is for the host to decide: where it refuses, or how fast it answers. */
const varying = /\.put\.(?:shorter|longer|other-bytes|other-type)$|^runs\.list\.newest-first$/

/** Each sent what it says that it costs. */
export const mustCost = (results: Results, checks: ReadonlyArray<Check>): void => {
  for (const { exchanges, id } of results) {
    const cost = checks.find((check) => check.id === id)?.cost
    const bytes = exchanges.reduce((sum, { request }) => sum + (request.content?.sizeBytes ?? 0), 0)
    const most = cost?.requests ?? 0
    const requests = varying.test(id) && exchanges.length <= most ? most : exchanges.length
    assert.deepStrictEqual({ id, requests, bytes }, { id, ...cost })
  }
}

/** Nothing was made on the target. */
export const mustOnlyRead = (results: Results): void => {
  const methods = results.flatMap(({ exchanges }) => exchanges.map(({ request }) => request.method))
  assert.isNotEmpty(methods)
  assert.deepStrictEqual(
    methods.filter((method) => method !== "GET"),
    []
  )
}

/** The names of the hosts that answer every silence otherwise. */
export const fairNames = Object.keys(fairHosts)

/** The checks that prove a MUST pass against the fair host of that name. */
export const mustPassFairly = Effect.fnUntraced(function* (checks: ReadonlyArray<Check>, name: string) {
  const start = fairHosts[name]
  assert.isDefined(start)
  const host = yield* Effect.acquireRelease(
    Effect.promise(() => start()),
    ({ stop }) => Effect.promise(stop)
  )
  const musts = checks.filter(({ id }) => levelOf(id) === "MUST")
  yield* mustPass(musts, fairTarget(host))
})
