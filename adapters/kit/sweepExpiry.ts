import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { newHome } from "./parts/buildPorts.ts"
import { assertAtomic } from "./parts/interruption.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { plainRemoval } from "./parts/plain.ts"
import { many } from "./parts/racing.ts"
import { instant, makeRemoval, makeShareLink } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newPreview, dueBy, expireBy, ended, aged, isPreviewThere } from "./parts/sweepPorts.ts"
import { newRun } from "./parts/stored.ts"

export const sweepExpiryCases = (it: Cases<MetadataPorts>) => {
  it.effect("removals are stored for items that expire, and for no others", function* () {
    const { account } = yield* newHome
    const [over, live] = [yield* newPreview(account, 100), yield* newPreview(account, 900)]
    const order = ended("abandoned_previews", 100)
    const [due] = yield* dueBy(order)
    const removals = [makeRemoval(account), makeRemoval(account)]
    const others = [makeRemoval(account)]
    const taken = yield* SweepStore.use((store) =>
      store.expire(order, [
        { id: due?.id ?? "none", removals },
        { id: live.shareId, removals: others },
        { id: "nothing", removals: others }
      ])
    )
    assert.deepStrictEqual(taken, [due?.id ?? "none"])
    assert.isFalse(yield* isPreviewThere(over))
    const stored = yield* RemovalStore.use((store) => store.list({ limit: 10 }))
    assert.sameDeepMembers(stored.map(plainRemoval), removals.map(plainRemoval))
  })

  assertAtomic(
    it,
    {
      interrupted: "an expiry that is interrupted at any moment is stored whole or not at all",
      failing: "an expiry during which the engine fails is stored whole or not at all"
    },
    Effect.gen(function* () {
      const { account } = yield* newHome
      const preview = yield* newPreview(account, 100)
      const link = makeShareLink(account, { shared: { preview: preview.shareId } })
      const [links, sweeps] = [yield* ShareLinkStore, yield* SweepStore]
      yield* links.insert(link)
      const removal = makeRemoval(account)
      return {
        run: sweeps.expire(ended("abandoned_previews", 100), [{ id: preview.shareId, removals: [removal] }]),
        check: Effect.gen(function* () {
          const isThere = yield* isPreviewThere(preview)
          assert.strictEqual(Option.isSome(yield* links.find(link.id)), isThere)
          const stored = yield* RemovalStore.use((store) => store.list({ limit: 1000 }))
          assert.strictEqual(
            stored.some(({ id }) => id === removal.id),
            !isThere
          )
        })
      }
    })
  )

  it.effect("of many expiries at once, no two expire the same item", function* () {
    const { account } = yield* newHome
    for (const _ of many) yield* newPreview(account, 100)
    const order = ended("abandoned_previews", 100)
    const resources = (yield* dueBy(order)).map(({ id }) => ({ id, removals: [] }))
    const takes = [resources, resources.toReversed(), resources, resources.toReversed()]
    const taken = yield* Effect.forEach(takes, (some) => SweepStore.use((store) => store.expire(order, some)), {
      concurrency: "unbounded"
    })
    assert.strictEqual(new Set(taken.flat()).size, taken.flat().length)
    yield* expireBy(order)
    assert.deepStrictEqual(yield* dueBy(order), [])
  })

  it.effect("pages list every due item once, whatever their size", function* () {
    const home = yield* newHome
    for (let at = 0; at < 7; at++) {
      yield* newPreview(home.account, 100 + (at >> 1))
      yield* newRun(home.repository, yield* newPreview(home.account, 900, 50), { createdAt: instant(50 + (at >> 1)) })
    }
    for (const limit of [1, 2, 3, 7, 100]) {
      for (const order of [ended("abandoned_previews", 900), aged("runs", home.account, 900)]) {
        const ids = (yield* dueBy(order, limit)).map(({ id }) => id)
        assert.strictEqual(new Set(ids).size, 7)
        assert.lengthOf(ids, 7)
      }
    }
  })
}
