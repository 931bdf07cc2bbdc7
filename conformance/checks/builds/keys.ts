import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { CheckTable } from "../steps/Check.ts"
import { keyOf } from "../steps/accounts.ts"
import { idOf, mustShow, queryOf, readById, readLatest, settledRow, visible } from "../steps/builds.ts"
import { buildInput, bundleSizeBytes, unusual, unusualCost } from "../steps/inputs.ts"
import { existingBuild, finalizeBuild, reserveBuild, sendReservation, suppliedBuild } from "../steps/makeBuilds.ts"
import { uploadAll } from "../steps/uploadAll.ts"
import { wrongKeyChecks } from "../steps/wrongKeys.ts"
import { buildFlow } from "../uploads/Flow.ts"

const bytes = bundleSizeBytes

/** Which keys the endpoints of builds accept. */
export const keyChecks: CheckTable = {
  ...wrongKeyChecks(
    "builds",
    { scope: "builds", lackedBy: ["previewUpload", "testRuns", "withoutBuilds"] },
    {
      reserve: {
        noun: "A reservation of a build",
        cost: { requests: 2, bytes: 0 },
        attempt: Effect.gen(function* () {
          const input = yield* buildInput("build", yield* unusual("build"))
          const latest = readLatest(queryOf(input))
          const before = yield* visible(latest)
          return {
            send: (as) => sendReservation(input, as),
            prove: mustShow(latest, before, "A refused reservation leaves the branch as it was.")
          }
        })
      },
      finalize: {
        noun: "A finalize of a build",
        cost: { requests: 4 + unusualCost.builds.requests, bytes: bytes + unusualCost.builds.bytes },
        attempt: Effect.map(buildFlow.uploaded("unusual"), ({ mustWait, reserved }) => ({
          send: (as) => Dialect.use((dialect) => dialect.finalizeBuild(reserved.token, as)),
          prove: mustWait
        }))
      },
      latest: {
        noun: "A read of the latest build of a branch",
        cost: { requests: 4, bytes },
        supplied: suppliedBuild,
        attempt: Effect.gen(function* () {
          const { query } = yield* existingBuild("build")
          yield* settledRow(readLatest(query))
          return { send: (as) => readLatest(query, as) }
        })
      },
      read: {
        noun: "A read of a build by its id",
        cost: { requests: 4, bytes },
        supplied: suppliedBuild,
        attempt: Effect.gen(function* () {
          const id = yield* (yield* existingBuild("build")).id
          yield* settledRow(readById(id))
          return { send: (as) => readById(id, as) }
        })
      }
    }
  ),
  "builds.scope.suffices": {
    title: "A key that has only the scope `builds` reserves, finalizes and reads a build.",
    cost: { requests: 5 + unusualCost.builds.requests, bytes: bytes + unusualCost.builds.bytes },
    *run() {
      const key = keyOf("a", "builds")
      const { input, reserved } = yield* reserveBuild("build", yield* unusual("build"), key)
      yield* uploadAll(reserved)
      const row = yield* finalizeBuild(reserved, key)
      yield* settledRow(readLatest(queryOf(input), key))
      yield* settledRow(readById(yield* idOf(row), key))
    }
  }
}
