import { Effect, Option, Stream } from "effect"
import type { RemovalId } from "../../model/Removal.ts"
import { RemovalStore } from "../../ports/RemovalStore.ts"

const pageSize = 1000

/** Every removal that isn't finished, due or not. */
export const makePendingRemovals = Effect.map(RemovalStore, (store) =>
  Stream.runCollect(
    Stream.paginate(undefined, (after: RemovalId | undefined) =>
      Effect.map(store.list({ after, limit: pageSize }), (page) => {
        const last = page.length < pageSize ? undefined : page.at(-1)?.id
        return [page, Option.fromUndefinedOr(last)] as const
      })
    )
  )
)
