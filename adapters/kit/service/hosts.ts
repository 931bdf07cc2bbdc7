import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, type Duration } from "effect"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { plainView } from "../parts/buildPorts.ts"
import { offBy } from "../parts/clocks.ts"
import { plainPreviewTicket } from "../parts/plain.ts"
import type { Cases } from "../parts/suite.ts"
import { previewOf } from "./previews.ts"
import { buildOf, hostedByBuild, layerService, newContent, newTeam, putAll, type ServicePorts } from "./world.ts"

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
