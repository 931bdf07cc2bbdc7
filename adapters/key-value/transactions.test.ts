/** What the ports make of an engine that fails, or that repeats. The suites of the kit run on them in `../memory`. */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makeAccount } from "../kit/parts/samples.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { layerMetadata } from "./index.ts"
import type { KeyValueStore, Transaction } from "./KeyValueStore.ts"
import { keyValueStore } from "../memory/keyValueStore.ts"

const account = makeAccount()

/** Inserts an account and finds it again. */
const stored = (store: KeyValueStore) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    yield* accounts.insert(account)
    return Option.isSome(yield* accounts.findByName(account.name))
  }).pipe(Effect.provide(layerMetadata(store)))

it.effect("a transaction that the engine rejects is Unavailable, and nothing of it is kept", () =>
  Effect.gen(function* () {
    const store = keyValueStore()
    const rejecting: KeyValueStore = {
      transaction: (use) =>
        store.transaction((transaction) =>
          use({ ...transaction, set: (key) => Promise.reject(new Error(`the disk is lost: ${key}`)) })
        )
    }
    assert.strictEqual((yield* Effect.flip(stored(rejecting)))._tag, "Unavailable")
    assert.isTrue(yield* stored(store))
  })
)

it.effect("an engine may run a transaction again from its beginning", () =>
  Effect.gen(function* () {
    const store = keyValueStore()
    /** Runs each transaction once in vain, as an engine does that finds two in conflict. */
    const repeating: KeyValueStore = {
      transaction: async (use) => {
        const vain = async (transaction: Transaction): Promise<never> => {
          await use(transaction)
          throw new Error("in conflict with another")
        }
        await store.transaction(vain).catch(() => undefined)
        return store.transaction(use)
      }
    }
    assert.isTrue(yield* stored(repeating))
  })
)
