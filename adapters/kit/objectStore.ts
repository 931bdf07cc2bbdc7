import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import type { Capabilities } from "./parts/objectStoreBench.ts"
import { clocks } from "./parts/objectStoreClocks.ts"
import { gets } from "./objectStoreGets.ts"
import { checks, listings, promotions, removals } from "./objectStoreKeeping.ts"
import { reads } from "./objectStoreReads.ts"
import { digests } from "./objectStoreDigests.ts"
import { suite, type Adapter } from "./parts/suite.ts"
import { refusedPuts, storedPuts } from "./objectStorePuts.ts"

export type { Capabilities } from "./parts/objectStoreBench.ts"
export { OpenObjects } from "./parts/leaks.ts"
export { Settled, UrlFetch } from "./parts/objectStoreClient.ts"

/**
 * The cases that every adapter of {@link ObjectStore} must pass. A layer is built for each case and must be empty then:
 * it creates a bucket, a folder or a prefix, and deletes it afterwards. Presigned URLs receive real requests, sent by
 * `fetch` unless {@link UrlFetch} replaces it. Clocks are real.
 *
 * For a store whose URLs Slipway signs and serves itself, `loopback` serves them.
 *
 * What `makeObjectStore` does for every engine is tested beside it and not here.
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
