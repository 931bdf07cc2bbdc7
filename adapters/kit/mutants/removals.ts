import { DateTime, Effect, type Context } from "effect"
import type { Removal } from "../../../core/model/Removal.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

type Store = RemovalStore["Service"]

/** Looks for what is due, and takes it a moment later. */
const takingInSteps = (store: Store): Store["claim"] =>
  Effect.fnUntraced(function* ({ limit, now, until }) {
    const due = (yield* store.list({ limit: 1000 })).filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
    yield* Effect.yieldNow
    const taken = due.slice(0, limit)
    yield* store.postpone(
      taken.map(({ id }) => id),
      until
    )
    return taken.map((one) => ({ ...one, dueAt: until }))
  })

/** A store that stores the removals of some commits in a commit of their own: each commit shows them a moment `apart` from itself. */
export const removingLater = <I extends MetadataPorts, S>(
  port: Context.Key<I, S>,
  alter: (
    store: S,
    apart: <A, E>(own: ReadonlyArray<Removal>, commit: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) => Partial<S>
) =>
  bothAltered(port, RemovalStore, (store, removals) => {
    const hidden = new Set<string>()
    return [
      alter(store, (own, commit) =>
        Effect.gen(function* () {
          for (const { id } of own) hidden.add(id)
          const answer = yield* commit
          yield* Effect.yieldNow
          for (const { id } of own) hidden.delete(id)
          return answer
        })
      ),
      { list: (query) => Effect.map(removals.list(query), (all) => all.filter(({ id }) => !hidden.has(id))) }
    ]
  })

export const removalMutants: MetadataFaults = {
  "every field of a removal comes back unchanged": {
    "forgets until when something may be stored": altered(RemovalStore, (store) => ({
      list: (query) =>
        Effect.map(store.list(query), (all) => all.map((removal) => ({ ...removal, settledAt: removal.dueAt })))
    }))
  },
  "removals are claimed from the instant at which they are due, those first that were due first": {
    "takes a removal a moment after it is due": altered(RemovalStore, (store) => ({
      claim: (request) => store.claim({ ...request, now: DateTime.subtract(request.now, { milliseconds: 1 }) })
    }))
  },
  "many claims at once get every removal, and no two get the same one": {
    "expires what another expires at that moment": altered(RemovalStore, (store) => ({ claim: takingInSteps(store) }))
  },
  "a removal is postponed or completed, and no other is; an unknown one is no error": {
    "drops every removal": altered(RemovalStore, (store) => ({
      complete: () =>
        Effect.flatMap(Effect.orDie(store.list({ limit: 1000 })), (all) => store.complete(all.map(({ id }) => id)))
    }))
  },
  "the list is in the order of the ids, after one, within the limit, whatever is due": {
    "lists removals from the first": altered(RemovalStore, (store) => ({
      list: ({ limit }) => store.list({ limit })
    }))
  }
}
