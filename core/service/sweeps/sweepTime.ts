import { DateTime, Effect } from "effect"
import { SweepStore } from "../../ports/SweepStore.ts"

/** The time that sweeps use: the earlier of this host's clock and the engine's. */
export const makeSweepTime = Effect.map(SweepStore, (store) => Effect.flatMap(DateTime.now, store.earlierTime))
