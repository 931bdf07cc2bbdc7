import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns, type RegisterRun } from "../../../core/service/TestRuns.ts"
import type { Faults } from "../parts/injectFaults.ts"
import { plainRun } from "../parts/plain.ts"
import type { Cases } from "../parts/suite.ts"
import { newPreview } from "./previews.ts"
import { failEachCall } from "./eachCall.ts"
import { newTeam, type ServicePorts, type Services } from "./world.ts"

export const testRunServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a test run is registered once under its idempotency key", () =>
    failEachCall(
      Effect.gen(function* () {
        const team = yield* newTeam
        const { shareId, token } = yield* newPreview(team)
        yield* (yield* Previews).finalize(team.caller, token)
        const { owner, repo } = team.repository
        const report: RegisterRun["report"] = { kind: "detox", status: "passed", previewShareId: shareId, name: "once" }
        return { team, request: { owner, repo, report } }
      }),
      ({ request, team }) => TestRuns.use((runs) => runs.register(team.caller, request, "key")),
      function* ({ request, team }, result) {
        const runs = yield* TestRuns
        const view = yield* runs.register(team.caller, request, "key")
        const again = yield* runs.register(team.caller, request, "key")
        assert.deepStrictEqual(plainRun(again.run), plainRun(view.run))
        if (Result.isSuccess(result)) assert.deepStrictEqual(plainRun(result.success.run), plainRun(view.run))
        const { owner, repo } = request
        const page = yield* runs.list(team.caller, { owner, repo, filter: {} })
        const ids = page.runs.map(({ run }) => run.id)
        assert.deepStrictEqual(ids, [view.run.id])
      }
    )
  )
}
