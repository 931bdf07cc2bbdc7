import { layer } from "@effect/vitest"
import type { Layer } from "effect"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import type { Capabilities } from "./objectStoreBench.ts"
import { gets } from "./objectStoreGets.ts"
import { illegalKeys, listings, promotions, reads, removals } from "./objectStoreKeeping.ts"
import { refusedPuts, storedPuts } from "./objectStorePuts.ts"

export type { Capabilities } from "./objectStoreBench.ts"
export { OpenObjects, Settled, UrlFetch } from "./objectStoreClient.ts"

/**
 * What every adapter of {@link ObjectStore} must pass. `store` is made once; each case keeps to a prefix of its own below
 * `kit/`, so a bucket may be shared. Presigned URLs are sent real requests, which {@link UrlFetch} can send another way
 * than by `fetch`; clocks are real.
 *
 * A store whose URLs Slipway signs and serves itself is served for the suite by `loopback` of `objectStoreHarness.ts`.
 */
export const objectStoreSuite = <E>(name: string, store: Layer.Layer<ObjectStore, E>, can: Capabilities): void => {
  layer(store, { excludeTestServices: true })(`ObjectStore on ${name}`, (it) => {
    storedPuts(it, can)
    refusedPuts(it, can)
    gets(it, can)
    promotions(it, can)
    listings(it)
    reads(it)
    removals(it)
    illegalKeys(it)
  })
}
