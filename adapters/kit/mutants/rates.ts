import { Context, Effect } from "effect"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { twoHosts } from "./twoHosts.ts"

/** Takes otherwise than was asked. */
const taking = (alter: (store: RateStore["Service"]) => RateStore["Service"]["consume"]) =>
  altered(RateStore, (store) => ({ consume: alter(store) }))

export const rateMutants: MetadataFaults = {
  "a request without room consumes nothing and answers where its end would be": {
    "takes where there is no room": taking(
      ({ consume }) =>
        (given) =>
          consume({ ...given, capacity: given.capacity * 10 })
    )
  },
  "parts of a millisecond count": {
    "rounds to milliseconds": taking(
      ({ consume }) =>
        (given) =>
          Effect.map(consume({ ...given, cost: Math.ceil(given.cost) }), Math.round)
    )
  },
  "a clock that is behind changes nothing of what was consumed": {
    "empties a bucket whose end lies ahead": taking(({ deleteFull, consume }) => {
      let last = 0
      return Effect.fnUntraced(function* (given) {
        if (given.now < last) yield* deleteFull(Number.MAX_SAFE_INTEGER, 100)
        last = given.now
        return yield* consume(given)
      })
    })
  },
  "each bucket is consumed separately": {
    "has one bucket": taking(
      ({ consume }) =>
        (given) =>
          consume({ ...given, bucket: "the bucket" })
    )
  },
  "many requests at once are all counted": {
    "reads first and writes later": taking(() => {
      const ends = new Map<string, number>()
      return ({ bucket, cost, now, capacity }) =>
        Effect.gen(function* () {
          const end = Math.max(ends.get(bucket) ?? now, now) + cost
          yield* Effect.yieldNow
          if (end <= now + capacity) ends.set(bucket, end)
          return end
        })
    })
  },
  "only full buckets are deleted, and they stay full": {
    "forgets a little too early": altered(RateStore, (store) => ({
      deleteFull: (now, limit) => store.deleteFull(now + 1, limit)
    }))
  },
  "no more buckets are deleted than asked, those first that were full first": {
    "forgets all full buckets at once": altered(RateStore, (store) => ({
      deleteFull: (now) => store.deleteFull(now, 1000)
    }))
  },
  "hosts share what is consumed": {
    "counts on each host for itself": twoHosts((memory) => {
      let taken = 0
      const store = Context.get(memory, RateStore)
      const consume: typeof store.consume = ({ cost, now }) => Effect.sync(() => now + (taken += cost))
      return Context.add(memory, RateStore, { ...store, consume })
    })
  }
}
