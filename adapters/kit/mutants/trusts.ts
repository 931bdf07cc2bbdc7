import { Context, Effect, Option } from "effect"
import type { RepositoryTrust } from "../../../core/model/RepositoryTrust.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"
import { twoHosts } from "./twoHosts.ts"

/** Finds by what was trusted beside the store. */
const remembering = (
  which: (all: ReadonlyArray<RepositoryTrust>, repository: string, issuer: string) => RepositoryTrust | undefined
) =>
  altered(TrustStore, (store) => {
    const all: Array<RepositoryTrust> = []
    return {
      trust: (trust) => Effect.tap(store.trust(trust), () => Effect.sync(() => void all.push(trust))),
      find: (key, issuer) =>
        Effect.map(
          store.find(key, issuer),
          Option.map((found) => ({
            ...found,
            trust: Option.orElse(found.trust, () => Option.fromUndefinedOr(which(all, found.repository.id, issuer)))
          }))
        )
    }
  })

export const trustMutants: MetadataFaults = {
  "a trust is found by its repository and its issuer, with every field and the account": {
    "compares issuers without regard to case": remembering((all, repository, issuer) =>
      all.find((trust) => trust.repositoryId === repository && trust.issuer === issuer.toLowerCase())
    ),
    "forgets the conditions": altered(TrustStore, (store) => ({
      trust: (trust) => store.trust({ ...trust, conditions: {} })
    }))
  },
  "a repository that is not linked is not found, and the account that links it has its own trust": {
    "takes what anybody trusts": remembering((all, _, issuer) => all.find((trust) => trust.issuer === issuer))
  },
  "ids are pinned once, and stay when the trust is stored again without others": {
    "replaces the ids that are pinned": altered(TrustStore, (store) => {
      const all = new Map<string, RepositoryTrust>()
      return {
        trust: (trust) =>
          Effect.tap(store.trust(trust), (stored) => Effect.sync(() => void all.set(stored.repositoryId, stored))),
        pin: (repository, issuer, pinned) => {
          const trust = all.get(repository)
          return trust?.issuer === issuer ? Effect.as(store.trust({ ...trust, pinned }), true) : Effect.succeed(false)
        }
      }
    })
  },
  "a secret that one host used counts no more on another": {
    "remembers used secrets on each host for itself": twoHosts((memory) => {
      const store = Context.get(memory, TrustStore)
      const used = new Set<string>()
      return Context.add(memory, TrustStore, {
        ...store,
        use: ({ tokenHash }) => Effect.sync(() => used.size < used.add(tokenHash).size)
      })
    })
  },
  "a secret counts once, also of many uses at once, and whether or not it was exchanged": {
    "keeps used secrets apart from exchanged tokens": altered(TrustStore, (store) => ({
      use: (secret) => store.use({ ...secret, tokenHash: `used ${secret.tokenHash}` })
    }))
  },
  "ending a trust answers whether there was one, and ends no other": {
    "ends nothing": altered(TrustStore, () => ({ untrust: () => Effect.succeed(true) }))
  },
  "a token is exchanged once, and its key is stored with that": {
    "stores the key of a token that was used": bothAltered(KeyStore, TrustStore, (keys, trusts) => [
      {},
      {
        exchange: (change) =>
          Effect.tap(trusts.exchange(change), (isFirst) => (isFirst ? Effect.void : keys.insert(change.key)))
      }
    ])
  },
  "of the exchange of a token for a key by many at once, exactly one is made, and the others leave nothing": {
    "looks first whether a token was used, and writes it down later": altered(TrustStore, (store) => {
      const used = new Set<string>()
      return {
        exchange: (change) =>
          Effect.gen(function* () {
            if (used.has(change.tokenHash)) return false
            yield* Effect.yieldNow
            used.add(change.tokenHash)
            return yield* store.exchange({ ...change, tokenHash: change.key.hash })
          })
      }
    })
  }
}
