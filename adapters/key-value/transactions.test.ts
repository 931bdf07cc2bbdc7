/** What the ports make of an engine that fails, or that repeats. The suites of the kit run on them in `../memory`. */
import { assert } from "@effect/vitest"
import { Effect, Option, Stream } from "effect"
import { it } from "../../core/testing/layer.ts"
import { makeAccount, makeAuditEntry } from "../kit/parts/samples.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { maxUnreadable, tooManyUnreadable } from "../../core/rules/pages.ts"
import { layerMetadata, TransactionConflict } from "./index.ts"
import { UndecodableRecord, type KeyValueStore, type Transaction } from "./KeyValueStore.ts"
import { take } from "./tables.ts"
import { keyValueStore } from "../memory/keyValueStore.ts"

const account = makeAccount()

/** Inserts an account and finds it again. */
const stored = (store: KeyValueStore) =>
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    yield* accounts.insert(account)
    return Option.isSome(yield* accounts.findByName(account.name))
  }).pipe(Effect.provide(layerMetadata(store)))

it.effect("a transaction that the engine rejects is Unavailable, and nothing of it is kept", function* () {
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

it.live("a transaction that the engine rejects as a conflict runs again, alone or as a part of another", function* () {
  const store = keyValueStore()
  let conflicts = 0
  /** Rejects every other transaction, at its commit or at its first read. */
  const conflicting: KeyValueStore = {
    transaction: async (use) => {
      conflicts += 1
      if (conflicts % 2 === 0) return store.transaction(use)
      const get = () => Promise.reject(new TransactionConflict("another one committed first"))
      return store.transaction(async (transaction) => {
        await use(conflicts % 4 === 1 ? transaction : { ...transaction, get })
        throw new TransactionConflict("another one committed first")
      })
    }
  }
  assert.isTrue(yield* stored(conflicting))
  yield* Effect.gen(function* () {
    const accounts = yield* AccountStore
    const other = makeAccount()
    const entry = makeAuditEntry()
    yield* (yield* AuditLog).record(accounts.insert(other), () => entry)
    assert.isTrue(Option.isSome(yield* accounts.findByName(other.name)))
  }).pipe(Effect.provide(layerMetadata(conflicting)))
  assert.isAbove(conflicts, 6)
})

it.effect("an engine may run a transaction again from its beginning", function* () {
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

it.effect("a copy that has a record twice is refused with that record, and nothing is stored", () =>
  Effect.gen(function* () {
    const target = yield* MetadataTarget
    const record = { kind: "account", value: account } as const
    const { message } = yield* Effect.flip(target.fill(Stream.make(record, record)))
    assert.include(message, account.id)
    assert.include(message, "Make a new backup")
    yield* target.assertEmpty
  }).pipe(Effect.provide(layerMetadata(keyValueStore())))
)

it("a page of records that can't be decoded is not read on without end", async () => {
  let read = 0
  const entries = async function* () {
    for (;;) yield { key: `${read}`, value: "{" }
  }
  const page = take(10, entries(), async () => {
    read += 1
    throw new UndecodableRecord("a record")
  })
  const error = await page.catch(String)
  assert.include(error, tooManyUnreadable)
  assert.strictEqual(read, maxUnreadable + 1)
})
