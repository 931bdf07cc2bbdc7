import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import type { Capabilities } from "./parts/objectStoreBench.ts"
import { clocks } from "./parts/objectStoreClocks.ts"
import { gets } from "./objectStoreGets.ts"
import { checks, listings, promotions, reads, removals } from "./objectStoreKeeping.ts"
import { digests } from "./objectStoreDigests.ts"
import { suite } from "./parts/suite.ts"
import type { Adapter } from "./parts/suite.ts"
import { refusedPuts, storedPuts } from "./objectStorePuts.ts"

export type { Capabilities } from "./parts/objectStoreBench.ts"
export { OpenObjects } from "./parts/leaks.ts"
export { Settled, UrlFetch } from "./parts/objectStoreClient.ts"

/**
 * What every adapter of {@link ObjectStore} must pass. `store` is made once; each case keeps to a prefix of its own below
 * `kit/`, so a bucket may be shared. Presigned URLs are sent real requests, which {@link UrlFetch} can send another way
 * than by `fetch`; clocks are real.
 *
 * A store whose URLs Slipway signs and serves itself is served for the suite by `loopback` of `objectStoreHarness.ts`.
 *
 * What `makeObjectStore` does for every engine is tested once, beside it, and not here: a store of one's own is made by it.
 */
export const objectStoreSuite = <S = never>(name: string, store: Adapter<ObjectStore, S>, can: Capabilities): void =>
  suite(`ObjectStore on ${name}`, store, (it) => {
    storedPuts(it, can)
    refusedPuts(it, can)
    gets(it, can)
    clocks(it, can)
    promotions(it, can)
    listings(it)
    reads(it)
    removals(it)
    checks(it)
    digests(it, can)
  })
