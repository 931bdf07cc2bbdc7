/** The checks of test runs, made of the reference host and of hosts that answer every silence otherwise. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { referenceHost } from "../../testing/referenceHost.ts"
import { fairNames, mustCost, mustOnlyRead, mustPass, mustPassFairly } from "../testing/tried.ts"
import { testRunChecks } from "./index.ts"

describe("the checks of test runs", () => {
  it.live("pass against the reference host, and cost what they say", () =>
    Effect.gen(function* () {
      mustCost(yield* mustPass(testRunChecks, yield* referenceHost()), testRunChecks)
    })
  )

  it.live("that are read-only make nothing", () =>
    Effect.gen(function* () {
      const reading = testRunChecks.filter(({ readOnly }) => readOnly === true)
      const results = yield* mustPass(reading, yield* referenceHost())
      assert.isAtLeast(results.length, 6)
      mustOnlyRead(results)
    })
  )

  it.each(fairNames)("that prove a MUST pass against the host %s", (name) =>
    Effect.runPromise(Effect.scoped(mustPassFairly(testRunChecks, name)))
  )
})
