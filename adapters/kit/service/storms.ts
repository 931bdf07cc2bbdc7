import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Unavailable } from "../../../core/model/Problem.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { plainView } from "../parts/buildPorts.ts"
import { Faults, type Plan } from "../parts/injectFaults.ts"
import { forAll } from "../parts/forAll.ts"
import { plainPreview } from "../parts/plain.ts"
import type { Cases } from "../parts/suite.ts"
import { previewOf } from "./previews.ts"
import {
  buildOf,
  hostedByBuild,
  hostedByPreview,
  newContent,
  newTeam,
  putAll,
  uploadedBuild,
  type ServicePorts,
  type Services
} from "./world.ts"

/** Which of the successive calls fail, and how. Calls after these succeed. */
const Weather = Schema.Array(Schema.Literals(["fair", "good", "fine", "before", "after", "midStream"])).check(
  Schema.isMinLength(10),
  Schema.isMaxLength(60)
)

const planOf =
  (weather: typeof Weather.Type): Plan =>
  ({ nth }) => {
    const fault = weather[nth]
    return fault === "before" || fault === "after" || fault === "midStream" ? fault : undefined
  }

/** Repeats an effect as long as it fails with `Unavailable`, as a client does. */
const untilAnswered = <A, E, R>(request: Effect.Effect<A, E, R>) =>
  Effect.retry(request, { while: (error) => error instanceof Unavailable })

export const stormCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("a client that repeats each call until it is answered gets each result once, whatever fails", () =>
    forAll(
      Weather,
      Effect.fnUntraced(function* (weather) {
        const [builds, previews, runs] = [yield* Builds, yield* Previews, yield* TestRuns]
        const faults = yield* Faults
        const team = yield* newTeam
        const { account, caller, repository } = team
        const { owner, repo } = repository
        const content = newContent("storm")
        const { answer } = yield* faults.during(planOf(weather))(
          Effect.gen(function* () {
            const reserved = yield* untilAnswered(builds.reserve(caller, buildOf(team, content), "build"))
            yield* putAll(reserved.slots, content)
            const build = yield* untilAnswered(builds.finalize(caller, reserved.token))
            const ticket = yield* untilAnswered(previews.reserve(caller, previewOf(team, content), "preview"))
            yield* putAll(ticket.slots, content)
            const preview = yield* untilAnswered(previews.finalize(caller, ticket.token))
            const report = { kind: "maestro" as const, status: "failed", previewShareId: preview.shareId, name: "once" }
            const run = yield* untilAnswered(runs.register(caller, { owner, repo, report }, "run"))
            return { build, preview, run }
          })
        )
        const build = yield* builds.read(caller, answer.build.build.id)
        assert.deepStrictEqual(plainView(build), plainView(answer.build))
        assert.strictEqual(build.build.version, 2, "commits: one reserve and one finalize")
        assert.deepStrictEqual(yield* hostedByBuild(caller, build.build.id), content)
        const preview = yield* previews.read(caller, answer.preview.shareId)
        assert.deepStrictEqual(plainPreview(preview), plainPreview(answer.preview))
        assert.deepStrictEqual(yield* hostedByPreview(caller, preview.shareId), content)
        const usage = yield* (yield* PreviewStore).usage(account.id)
        const billed = usage.map(({ billedTestRuns }) => billedTestRuns)
        assert.deepStrictEqual(billed, [1])
        const page = yield* runs.list(caller, { owner, repo, filter: {} })
        const ids = page.runs.map(({ run }) => run.id)
        assert.deepStrictEqual(ids, [answer.run.run.id])
      }),
      { runs: 10, size: 60 }
    )
  )

  it.effect("all concurrent finalizes of one token get the same answer while every third call fails", function* () {
    const builds = yield* Builds
    const team = yield* newTeam
    const upload = yield* uploadedBuild(team, newContent("contended"))
    const everyThird: Plan = ({ nth }) => (nth % 3 > 0 || nth > 200 ? undefined : nth % 2 ? "after" : "before")
    const { answer: views } = yield* (yield* Faults).during(everyThird)(
      Effect.forEach(
        Array.from({ length: 8 }, () => untilAnswered(builds.finalize(team.caller, upload.token))),
        (finalize) => finalize,
        { concurrency: "unbounded" }
      )
    )
    const stored = plainView(yield* builds.read(team.caller, upload.id))
    for (const view of views) assert.deepStrictEqual(plainView(view), stored)
    assert.strictEqual(stored.build.version, 2)
    assert.deepStrictEqual(yield* hostedByBuild(team.caller, upload.id), upload.content)
  })

  it.effect(
    "all concurrent reserves under one idempotency key get the same answer while every third call fails",
    function* () {
      const previews = yield* Previews
      const team = yield* newTeam
      const declaration = previewOf(team, newContent("contended"))
      const everyThird: Plan = ({ nth }) => (nth % 3 > 0 || nth > 100 ? undefined : nth % 2 ? "after" : "before")
      const { answer: tickets } = yield* (yield* Faults).during(everyThird)(
        Effect.forEach(
          Array.from({ length: 8 }, () => untilAnswered(previews.reserve(team.caller, declaration, "key"))),
          (reserve) => reserve,
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(new Set(tickets.map(({ token }) => token)).size, 1, "tokens")
      assert.strictEqual(new Set(tickets.map(({ shareId }) => shareId)).size, 1, "previews")
    }
  )
}
