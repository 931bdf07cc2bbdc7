import { Effect, Option } from "effect"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import type { RepositoryKey } from "../../../core/model/Repository.ts"
import type { RepositoryTrust } from "../../../core/model/RepositoryTrust.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { TrustStore, type TrustedRepository } from "../../../core/ports/TrustStore.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

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
    "keeps the first scope alone": altered(TrustStore, (store) => ({
      trust: (trust) => store.trust({ ...trust, scopes: [trust.scopes[0]] })
    }))
  },
  "a repository that is not linked is not found, and the account that links it has its own trust": {
    "takes what anybody trusts": remembering((all, _, issuer) => all.find((trust) => trust.issuer === issuer)),
    "finds a repository that is unlinked": bothAltered(RepositoryStore, TrustStore, (repositories, trusts) => {
      const before = new Map<string, Option.Option<TrustedRepository>>()
      const name = (key: RepositoryKey, issuer: string) => `${key.owner}/${key.repo} ${issuer}`
      return [
        {
          unlink: Effect.fnUntraced(function* (account, key) {
            before.set(name(key, "https://issuer.example"), yield* trusts.find(key, "https://issuer.example"))
            return yield* repositories.unlink(account, key)
          })
        },
        {
          find: (key, issuer) =>
            Effect.map(trusts.find(key, issuer), (found) =>
              Option.isSome(found) ? found : (before.get(name(key, issuer)) ?? found)
            )
        }
      ]
    })
  },
  "a trust takes the place of the one before, and of no other repository's or issuer's": {
    "keeps the first trust": altered(TrustStore, (store) => {
      const seen = new Set<string>()
      return {
        trust: (trust) => {
          const name = `${trust.repositoryId} ${trust.issuer}`
          if (seen.has(name)) return Effect.void
          seen.add(name)
          return store.trust(trust)
        }
      }
    })
  },
  "ending a trust answers whether there was one, and ends no other": {
    "answers that it ended a trust that isn't there": altered(TrustStore, (store) => ({
      untrust: (repository, issuer) => Effect.as(store.untrust(repository, issuer), true)
    })),
    "ends nothing": altered(TrustStore, () => ({ untrust: () => Effect.succeed(true) }))
  },
  "the list holds what the account's linked repositories trust, and nothing else": {
    "lists one trust of each repository": altered(TrustStore, (store) => ({
      list: (account) =>
        Effect.map(store.list(account), (all) =>
          all.filter(
            ({ repository }, index) => all.findIndex((other) => other.repository.id === repository.id) === index
          )
        )
    }))
  },
  "a token is exchanged once, and its key is stored with that": {
    "exchanges a token again": altered(TrustStore, (store) => ({
      exchange: (change) => store.exchange({ ...change, tokenHash: change.key.hash })
    })),
    "stores the key of a token that was used": bothAltered(KeyStore, TrustStore, (keys, trusts) => [
      {},
      {
        exchange: (change) =>
          Effect.tap(trusts.exchange(change), (isFirst) => (isFirst ? Effect.void : keys.insert(change.key)))
      }
    ]),
    "forgets the key": altered(TrustStore, () => {
      const used = new Set<string>()
      return {
        exchange: ({ tokenHash }) =>
          Effect.sync(() => {
            const isFirst = !used.has(tokenHash)
            used.add(tokenHash)
            return isFirst
          })
      }
    })
  },
  "of many exchanges of one token at once, one is answered": {
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
