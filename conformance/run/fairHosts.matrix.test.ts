/** The whole suite against hosts that answer every silence differently. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { it } from "../../core/testing/layer.ts"
import { fairHosts } from "../fair/hosts.ts"
import { fairTarget } from "../testing/target.ts"
import { mustConform } from "./testing/mustConform.ts"

// They run concurrently, because a run mostly waits for consistency windows and rate limits.
describe.concurrent("the whole suite", () => {
  for (const [name, start] of Object.entries(fairHosts)) {
    it.live(`finds the fair host ${name} conformant`, function* () {
      const host = yield* Effect.acquireRelease(
        Effect.promise(() => start()),
        ({ stop }) => Effect.promise(stop)
      )
      yield* mustConform(fairTarget(host))
    })
  }
})
