/** The checks of previews, made of the reference host and of hosts that answer every silence otherwise. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { referenceHost } from "../../testing/referenceHost.ts"
import { fairNames, mustCost, mustOnlyRead, mustPass, mustPassFairly } from "../testing/tried.ts"
import { previewChecks } from "./index.ts"

describe("the checks of previews", () => {
  it.live("pass against the reference host, and cost what they say", () =>
    Effect.gen(function* () {
      mustCost(yield* mustPass(previewChecks, yield* referenceHost()), previewChecks)
    })
  )

  it.live("make nothing, where they read a preview that the config supplies", () =>
    Effect.gen(function* () {
      const target = yield* referenceHost()
      const hosted = previewChecks.filter(({ id }) => id === "previews.finalize.hosted-url")
      const shareId = (yield* mustPass(hosted, target))[0]?.made[0]?.id
      assert.isDefined(shareId)
      const reading = previewChecks.filter(({ readOnly, supplied }) => readOnly === true || supplied !== undefined)
      const supplied = { ...target, config: { ...target.config, supplied: { shareId } } }
      const results = yield* mustPass(reading, supplied)
      assert.isAtLeast(results.length, 4)
      mustOnlyRead(results)
    })
  )

  it.each(fairNames)("that prove a MUST pass against the host %s", (name) =>
    Effect.runPromise(Effect.scoped(mustPassFairly(previewChecks, name)))
  )
})
