import { Array, Effect } from "effect"
import { RemovalStore } from "../ports/RemovalStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import { storedBy } from "../rules/reservations.ts"

/**
 * Filters hosted objects before their removal: leaves out those that an upload still stores or shares. Later uploads can't share the
 * others, because only objects that `ReservationStore.findHosted` returns are shared.
 */
export const makeUnsharedFilter = Effect.gen(function* () {
  const removals = yield* RemovalStore
  const sweeps = yield* SweepStore

  return Effect.fnUntraced(function* <A extends { readonly key: string }>(objects: ReadonlyArray<A>) {
    const storing = Array.dedupe(objects.flatMap(({ key }) => storedBy(key) ?? []))
    if (storing.length === 0) return objects
    const there = new Set((yield* sweeps.findReservations(storing)).map(({ id }) => id))
    const free = objects.filter(({ key }) => {
      const id = storedBy(key)
      return id === undefined || !there.has(id)
    })
    const held = new Set(free.length === 0 ? [] : yield* removals.findShared(free.map(({ key }) => key)))
    return free.filter(({ key }) => !held.has(key))
  })
})
