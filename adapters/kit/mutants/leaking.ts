import { Effect, Layer, Stream } from "effect"
import { openSync } from "node:fs"
import { createServer } from "node:net"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { OpenObjects } from "../parts/leaks.ts"
import { storing } from "./alteredObjects.ts"
import type { Mutant } from "./Mutant.ts"

export const leakingMutants: ReadonlyArray<Mutant<ObjectStore>> = [
  {
    fault: "leaves an object open when its reader stops early",
    caughtBy: "an object can still be read after a reader stopped early",
    saying: "taken of the store and not given back",
    adapter: Layer.unwrap(
      Effect.sync(() => {
        let open = 0
        const counted = storing((store) => ({
          read: (key, range) =>
            Effect.map(store.read(key, range), (object) => ({
              ...object,
              stream: Stream.suspend(() => {
                open += 1
                return Stream.concat(object.stream, Stream.fromEffectDrain(Effect.sync(() => (open -= 1))))
              })
            }))
        }))
        return Layer.merge(
          counted,
          Layer.succeed(
            OpenObjects,
            Effect.sync(() => open)
          )
        )
      })
    )
  },
  {
    fault: "leaves a file open for each object that it reads",
    caughtBy: "ranges of a large object are read correctly across the borders of stored pieces",
    saying: "left open when the store was closed",
    adapter: storing((store) => ({
      read: (key, range) =>
        Effect.tap(store.read(key, range), () => Effect.sync(() => openSync(import.meta.filename, "r")))
    }))
  },
  {
    fault: "leaves a server open when it is closed",
    caughtBy: "an object of no bytes",
    saying: "left open when the store was closed",
    adapter: Layer.merge(
      storing((store) => store),
      Layer.effectDiscard(Effect.sync(() => createServer().listen(0, "127.0.0.1")))
    )
  }
]
