import { assert } from "@effect/vitest"
import { DateTime, type Duration, Effect, Layer, Schema } from "effect"
import { Unavailable } from "../../../core/model/Problem.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { Faults, type Plan } from "../parts/injectFaults.ts"
import { plainPreview, plainPreviewTicket } from "../parts/plain.ts"
import { plainView } from "../parts/stored.ts"
import { type Cases, forAll, offBy } from "../parts/suite.ts"
import { previewOf } from "./uploads.ts"
import {
  buildOf,
  hostedByBuild,
  hostedByPreview,
  layerService,
  newContent,
  newTeam,
  putAll,
  type ServicePorts,
  type Services,
  uploadedBuild
} from "./world.ts"

/** Another host on the same stores, whose clock is this far off. Answers a function that runs an effect there. */
const startHost = (offset: Duration.Input) =>
  Effect.map(
    Layer.build(Layer.fresh(layerService)),
    (services) =>
      <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(Effect.provide(services), offBy(offset))
  )

/** How far the clocks of two hosts are off, with each of them ahead once. */
const clocks = [
  { one: "10 minutes", other: "-10 minutes" },
  { one: "-10 minutes", other: "10 minutes" }
] as const

export const hostCases = (it: Cases<ServicePorts>) => {
  it.effect.each(clocks)(
    "one host finalizes what another reserved, and both read it: clocks off by $one and $other",
    function* ({ one, other }) {
      const [here, there] = [yield* startHost(one), yield* startHost(other)]
      const team = yield* newTeam
      const content = newContent("hosts")
      const reserve = Builds.use((builds) => builds.reserve(team.caller, buildOf(team, content)))
      const { id, slots, token } = yield* here(reserve)
      yield* putAll(slots, content)
      const finalize = Builds.use((builds) => builds.finalize(team.caller, token))
      const view = yield* there(finalize)
      for (const host of [here, there]) {
        const read = yield* host(Builds.use((builds) => builds.read(team.caller, id)))
        assert.deepStrictEqual(plainView(read), plainView(view))
        assert.deepStrictEqual(yield* host(hostedByBuild(team.caller, id)), content)
        assert.deepStrictEqual(plainView(yield* host(finalize)), plainView(view))
      }
    }
  )

  it.effect("a reservation ends by the clock of the host that finalizes, and a refusal changes nothing", function* () {
    const [here, late, early] = [yield* startHost(0), yield* startHost("61 minutes"), yield* startHost("-61 minutes")]
    const team = yield* newTeam
    const content = newContent("ending")
    const { id, slots, token } = yield* here(
      Builds.use((builds) => builds.reserve(team.caller, buildOf(team, content)))
    )
    yield* putAll(slots, content)
    const finalize = Builds.use((builds) => builds.finalize(team.caller, token))
    assert.strictEqual((yield* Effect.flip(late(finalize)))._tag, "ReservationExpired")
    const view = yield* early(finalize)
    assert.deepStrictEqual(plainView(yield* late(finalize)), plainView(view), "finalized, it is over for nobody")
    assert.deepStrictEqual(yield* late(hostedByBuild(team.caller, id)), content)
  })

  it.effect("an idempotency key is kept for a day by the clock of the host that is asked", function* () {
    const [here, early, late] = [yield* startHost(0), yield* startHost("-1 hours"), yield* startHost("23 hours")]
    const nextDay = yield* startHost("25 hours")
    const team = yield* newTeam
    const declaration = previewOf(team, newContent("a day"))
    const reserve = Effect.map(
      Previews.use((previews) => previews.reserve(team.caller, declaration, "key")),
      plainPreviewTicket
    )
    const ticket = yield* here(reserve)
    for (const host of [early, late, here]) assert.deepStrictEqual(yield* host(reserve), ticket)
    const next = yield* nextDay(reserve)
    assert.notStrictEqual(next.shareId, ticket.shareId)
    for (const host of [early, late, here]) assert.deepStrictEqual(yield* host(reserve), next)
  })

  it.effect.each(clocks)(
    "uploads of one build through alternating hosts all count even when time goes back: clocks off by $one and $other",
    function* ({ one, other }) {
      const [here, there] = [yield* startHost(one), yield* startHost(other)]
      const team = yield* newTeam
      const content = newContent("by turns")
      const request = buildOf(team, content)
      const { identity, owner, repo } = request
      const tickets = yield* Effect.forEach([here, there, here, there], (host) =>
        host(Builds.use((builds) => builds.reserve(team.caller, request)))
      )
      const ends = tickets.map(({ expiresAt }) => DateTime.toEpochMillis(expiresAt))
      assert.deepStrictEqual(ends, ends.toSorted(), "one ends before an earlier one of its build")
      assert.strictEqual(new Set(tickets.map(({ id }) => id)).size, 1, "builds")
      for (const [index, { id, slots, token }] of tickets.entries()) {
        yield* putAll(slots, content)
        const host = index % 2 ? here : there
        const { upload } = yield* host(Builds.use((builds) => builds.finalize(team.caller, token)))
        for (const host of [here, there]) {
          const read = yield* host(Builds.use((builds) => builds.read(team.caller, id)))
          assert.strictEqual(read.upload.id, upload.id, "the last to finalize is what the build shows")
          const latest = yield* host(Builds.use((builds) => builds.latest(team.caller, { owner, repo, ...identity })))
          assert.deepStrictEqual(plainView(latest), plainView(read))
        }
      }
    }
  )
}

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
