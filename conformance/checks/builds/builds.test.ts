/** The checks of builds, made of the reference host and of hosts that answer every silence otherwise. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { referenceHost } from "../../testing/referenceHost.ts"
import { tryChecks } from "../../testing/tryChecks.ts"
import { fairNames, mustCost, mustOnlyRead, mustPass, mustPassFairly } from "../testing/tried.ts"
import { buildChecks } from "./index.ts"

describe("the checks of builds", () => {
  it.live("pass against the reference host, and cost what they say", () =>
    Effect.gen(function* () {
      mustCost(yield* mustPass(buildChecks, yield* referenceHost()), buildChecks)
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
      mustOnlyRead(results)
    })
  )

  it.each(fairNames)("that prove a MUST pass against the host %s", (name) =>
    Effect.runPromise(Effect.scoped(mustPassFairly(buildChecks, name)))
  )
})
