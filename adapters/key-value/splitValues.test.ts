/** Values larger than an engine takes, on a store that refuses them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { keyValueContract } from "../kit/keyValueStore.ts"
import { keyValueStore } from "../memory/keyValueStore.ts"
import type { KeyValueStore } from "./KeyValueStore.ts"
import { splitValues } from "./splitValues.ts"

const most = 10_000

/** A store in memory that refuses larger values, as engines with a limit do. */
const limited = (): KeyValueStore => {
  const store = keyValueStore()
  return {
    transaction: (use) =>
      store.transaction((tx) =>
        use({
          ...tx,
          set: (key, value) =>
            Buffer.byteLength(value) > most ? Promise.reject(new Error("the value is too large")) : tx.set(key, value)
        })
      )
  }
}

keyValueContract(
  "that splits values",
  Effect.sync(() => ({ store: splitValues(limited(), most) }))
)

it("a value is split between characters, and no part is left of one that was replaced or removed", async () => {
  const engine = limited()
  const store = splitValues(engine, most)
  const count = () =>
    engine.transaction(async (tx) => (await tx.list({ from: "", to: "~", limit: 1000, reverse: false })).length)
  const value = `x${"😀".repeat(20_000)}`
  await store.transaction((tx) => tx.set("a", value))
  assert.isTrue((await store.transaction((tx) => tx.get("a"))) === value)
  assert.isAbove(await count(), 10)
  await store.transaction((tx) => tx.set("a", "😀".repeat(4000)))
  assert.strictEqual(await count(), 4)
  await store.transaction((tx) => tx.set("a", "1"))
  assert.strictEqual(await count(), 1)
  await store.transaction((tx) => tx.set("a", value))
  await store.transaction((tx) => tx.remove("a"))
  assert.strictEqual(await count(), 0)
})
