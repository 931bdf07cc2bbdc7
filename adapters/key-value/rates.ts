import { DateTime } from "effect"
import { RateStore } from "../../core/ports/RateStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import type { Run } from "./run.ts"
import { take, walk } from "./tables.ts"

const endKey = (fullAt: number, bucket: string): string =>
  keyOf("rateEnd", timeKey(DateTime.makeUnsafe(Math.ceil(fullAt))), bucket)

export const rateStore = (run: Run) =>
  RateStore.of({
    consume: ({ bucket, cost, now, capacity }) =>
      run(async (tx) => {
        const before = await tx.get(keyOf("rate", bucket))
        const fullAt = Math.max(Number(before ?? now), now) + cost
        if (fullAt > now + capacity) return fullAt
        if (before !== undefined) await tx.remove(endKey(Number(before), bucket))
        await tx.set(keyOf("rate", bucket), String(fullAt))
        await tx.set(endKey(fullAt, bucket), bucket)
        return fullAt
      }),
    deleteFull: (now, limit) =>
      run(async (tx) => {
        const { from } = below("rateEnd")
        const to = keyOf("rateEnd", timeKey(DateTime.makeUnsafe(Math.floor(now) + 1)))
        const full = await take(limit, walk(tx, { from, to, reverse: false }), async (one) => one)
        for (const { key, value } of full) {
          await tx.remove(keyOf("rate", value))
          await tx.remove(key)
        }
        return full.length
      })
  })
