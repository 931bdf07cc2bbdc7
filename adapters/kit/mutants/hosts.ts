/** What one host does counts on another. */
import { Context, Effect } from "effect"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import type { MetadataFaults } from "./Mutant.ts"
import { caching, twoHosts } from "./twoHosts.ts"

export const hostMutants: MetadataFaults = {
  "KeyStore > a key that one host revokes or rotates is found so by another that has found it before": {
    "caches keys by their hashes": caching(KeyStore, ({ findByHash }, cached) => ({ findByHash: cached(findByHash) }))
  },
  "RateStore > hosts share what is consumed": {
    "counts on each host for itself": twoHosts((memory) => {
      let taken = 0
      const store = Context.get(memory, RateStore)
      const consume: typeof store.consume = ({ cost, now }) => Effect.sync(() => now + (taken += cost))
      return Context.add(memory, RateStore, { ...store, consume })
    })
  },
  "TrustStore > a secret that one host used counts no more on another": {
    "remembers used secrets on each host for itself": twoHosts((memory) => {
      const store = Context.get(memory, TrustStore)
      const used = new Set<string>()
      return Context.add(memory, TrustStore, {
        ...store,
        use: ({ tokenHash }) => Effect.sync(() => used.size < used.add(tokenHash).size)
      })
    })
  }
}
