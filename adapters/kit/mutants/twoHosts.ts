import { Context, Effect, Layer, Option } from "effect"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../../../core/ports/registry.ts"
import type { Adapter } from "../parts/suite.ts"

/** The metadata in memory of the running case, which its two hosts share. */
export class SharedMemory extends Context.Service<
  SharedMemory,
  { current: Context.Context<MetadataPorts> | undefined }
>()("slipway/adapters/kit/mutants/SharedMemory") {}

/** Two hosts on the metadata in memory, each with what `host` makes of it. */
export const twoHosts = (
  host: (memory: Context.Context<MetadataPorts>) => Context.Context<MetadataPorts> = (memory) => memory
): Adapter<MetadataPorts, SharedMemory> => ({
  shared: Layer.sync(SharedMemory, () => ({ current: undefined })),
  each: Layer.flatMap(layerMetadata, (memory) =>
    Layer.effectContext(
      SharedMemory.useSync((shared) => {
        shared.current = memory
        return host(memory)
      })
    )
  ),
  another: Layer.effectContext(
    SharedMemory.use(({ current }) =>
      current === undefined ? Effect.die("No case is running.") : Effect.succeed(host(current))
    )
  )
})

/** Two hosts, each of which keeps what some calls of a port have found. */
export const caching = <I extends MetadataPorts, S>(
  port: Context.Key<I, S>,
  alter: (store: S, cached: typeof cache) => Partial<S>
) =>
  twoHosts((memory) => {
    const store = Context.get(memory, port)
    return Context.add(memory, port, { ...store, ...alter(store, cache) })
  })

/** The same call, which answers what it found before for the same arguments. */
const cache = <Args extends ReadonlyArray<unknown>, A, E>(
  find: (...args: Args) => Effect.Effect<Option.Option<A>, E>
): typeof find => {
  const found = new Map<string, Option.Option<A>>()
  return (...args) =>
    Effect.suspend(() => {
      const key = JSON.stringify(args)
      const before = found.get(key)
      if (before !== undefined) return Effect.succeed(before)
      return Effect.tap(find(...args), (now) => Effect.sync(() => Option.isSome(now) && found.set(key, now)))
    })
}
