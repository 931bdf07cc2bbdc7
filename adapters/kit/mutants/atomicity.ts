/** A commit that is interrupted, or during which the engine fails, is stored whole or not at all. */
import { Effect, Option } from "effect"
import type { BuildReservation } from "../../../core/model/Build.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../../core/ports/RemovalStore.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { isLive } from "../../../core/rules/credentials.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"
import { statement } from "./failingEngine.ts"

/** Finds the reservations of these tokens as they are here. */
const findingAs =
  (
    store: BuildStore["Service"],
    reservations: ReadonlyMap<string, BuildReservation>
  ): BuildStore["Service"]["findByToken"] =>
  (token) =>
    Effect.map(
      store.findByToken(token),
      Option.map((found) => ({ ...found, reservation: reservations.get(token) ?? found.reservation }))
    )

/** Finalizes a build and then, in another transaction, its reservation. */
const finalizingInSteps = altered(BuildStore, (store) => {
  const before = new Map<string, BuildReservation>()
  return {
    commitFinalize: Effect.fnUntraced(function* (change) {
      const { tokenHash } = change.reservation
      const stored = yield* store.findByToken(tokenHash)
      yield* store.commitFinalize(change)
      if (Option.isSome(stored)) before.set(tokenHash, stored.value.reservation)
      yield* statement
      before.delete(tokenHash)
    }),
    findByToken: findingAs(store, before)
  }
})

/** Rotates in two steps. */
const rotatingInSteps = altered(KeyStore, (store) => ({
  rotate: Effect.fnUntraced(function* (change) {
    const old = yield* store.findById(change.old)
    if (Option.isNone(old) || !isLive(old.value.key, change.now)) return false
    yield* store.insert(change.replacement)
    yield* Effect.yieldNow
    return yield* store.rotate(change)
  })
}))

/** Reserves a preview and then keeps the answer. */
const keepingLater = bothAltered(PreviewStore, IdempotencyStore, (previews, answers) => {
  const coming = new Set<string>()
  return [
    {
      commitReserve: Effect.fnUntraced(function* (change) {
        yield* previews.commitReserve(change)
        const keyHash = change.once?.answer.keyHash ?? ""
        coming.add(keyHash)
        yield* Effect.yieldNow
        coming.delete(keyHash)
      })
    },
    {
      find: (account, keyHash, now) => (coming.has(keyHash) ? Effect.succeedNone : answers.find(account, keyHash, now))
    }
  ]
})

/** Deletes a build and then stores its removals. */
const removingLater = bothAltered(BuildStore, RemovalStore, (builds, removals) => {
  const hidden = new Set<string>()
  return [
    {
      commitDelete: Effect.fnUntraced(function* (change) {
        for (const { id } of change.removals) hidden.add(id)
        yield* builds.commitDelete(change)
        yield* Effect.yieldNow
        for (const { id } of change.removals) hidden.delete(id)
      })
    },
    { list: (query) => Effect.map(removals.list(query), (all) => all.filter(({ id }) => !hidden.has(id))) }
  ]
})

export const atomicityMutants: MetadataFaults = {
  "BuildStore > commits > a finalize of a build during which the engine fails is stored whole or not at all": {
    "finalizes without a transaction": finalizingInSteps
  },
  "KeyStore > a rotation of a key that is interrupted at any moment is stored whole or not at all": {
    "rotates in two steps": rotatingInSteps
  },
  "SessionStore > a session whose beginning is interrupted has replaced the other one or doesn't exist": {
    "begins a session in two steps": altered(SessionStore, ({ begin, removeByHash }) => ({
      begin: Effect.fnUntraced(function* ({ replaces, ...change }) {
        if (replaces !== undefined) yield* removeByHash(replaces)
        yield* Effect.yieldNow
        yield* begin(change)
      })
    }))
  },
  "IdempotencyStore > the reserve of a preview > is committed with its answer or not at all when it is interrupted at any moment":
    {
      "keeps an answer a moment after its commit": keepingLater
    },
  "Outbox > the insert of a key that is interrupted at any moment stores its event, or neither": {
    "stores the event of a key after the key's commit": altered(KeyStore, (store) => ({
      insert: (key, event) =>
        store.insert(key).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(store.insert(key, event)))
    }))
  },
  "Deletion > an interrupted deletion of a build is committed whole or not at all": {
    "stores the removals of a build when it is deleted": removingLater
  }
}
