import { Context, Effect } from "effect"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { twoHosts } from "./twoHosts.ts"

/** Takes otherwise than was asked. */
const taking = (alter: (store: RateStore["Service"]) => RateStore["Service"]["take"]) =>
  altered(RateStore, (store) => ({ take: alter(store) }))

export const rateMutants: MetadataFaults = {
  "what is taken moves the end by its cost, from now where the bucket is full": {
    "takes the same whatever the cost": taking(
      ({ take }) =>
        (given) =>
          take({ ...given, cost: 1000 })
    ),
    "counts from the first taking on": taking(({ take }) => {
      let first: number | undefined
      return (given) => take({ ...given, now: (first ??= given.now) })
    })
  },
  "a taking that has no room takes nothing and answers where its end would be": {
    "takes where there is no room": taking(
      ({ take }) =>
        (given) =>
          take({ ...given, room: given.room * 10 })
    ),
    "answers when the bucket is full now": taking(
      ({ take }) =>
        (given) =>
          Effect.map(take(given), (end) => (end > given.now + given.room ? end - given.cost : end))
    )
  },
  "parts of a millisecond count": {
    "rounds to milliseconds": taking(
      ({ take }) =>
        (given) =>
          Effect.map(take({ ...given, cost: Math.ceil(given.cost) }), Math.round)
    )
  },
  "a clock that is behind loses nothing of what was taken": {
    "empties a bucket whose end lies ahead": taking(({ forgetFull, take }) => {
      let last = 0
      return Effect.fnUntraced(function* (given) {
        if (given.now < last) yield* forgetFull(Number.MAX_SAFE_INTEGER, 100)
        last = given.now
        return yield* take(given)
      })
    })
  },
  "buckets don't share what is taken from them": {
    "has one bucket": taking(
      ({ take }) =>
        (given) =>
          take({ ...given, bucket: "the bucket" })
    )
  },
  "of many takings at once each counts": {
    "reads first and writes later": taking(() => {
      const ends = new Map<string, number>()
      return ({ bucket, cost, now, room }) =>
        Effect.gen(function* () {
          const end = Math.max(ends.get(bucket) ?? now, now) + cost
          yield* Effect.yieldNow
          if (end <= now + room) ends.set(bucket, end)
          return end
        })
    })
  },
  "forgetting takes full buckets alone, and they stay full": {
    "forgets every bucket": altered(RateStore, (store) => ({
      forgetFull: (_, limit) => store.forgetFull(Number.MAX_SAFE_INTEGER, limit)
    })),
    "forgets a little too early": altered(RateStore, (store) => ({
      forgetFull: (now, limit) => store.forgetFull(now + 1, limit)
    })),
    "forgets nothing": altered(RateStore, () => ({ forgetFull: () => Effect.succeed(1) }))
  },
  "no more buckets are forgotten at once than asked, those first that were full first": {
    "forgets all full buckets at once": altered(RateStore, (store) => ({
      forgetFull: (now) => store.forgetFull(now, 1000)
    }))
  },
  "hosts share what is taken": {
    "counts on each host for itself": twoHosts((memory) => {
      let taken = 0
      const store = Context.get(memory, RateStore)
      const take: typeof store.take = ({ cost, now }) => Effect.sync(() => now + (taken += cost))
      return Context.add(memory, RateStore, { ...store, take })
    })
  }
}
