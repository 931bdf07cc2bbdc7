import { Effect } from "effect"

const itemsAtOnce = 250

/**
 * What `make` makes of each item, in order. Of many items the event loop takes no more than 250 in one turn, so that
 * other requests are served meanwhile.
 */
export const inTurns = Effect.fnUntraced(function* <A, B>(items: ReadonlyArray<A>, make: (item: A) => B) {
  const made: Array<B> = []
  for (let from = 0; from < items.length; from += itemsAtOnce) {
    if (from > 0) yield* Effect.yieldNow
    for (const item of items.slice(from, from + itemsAtOnce)) made.push(make(item))
  }
  return made
})
