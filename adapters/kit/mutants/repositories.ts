import { Effect } from "effect"
import { repositoryKey, type Repository } from "../../../core/model/Repository.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { keyOf } from "../parts/buildPorts.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

const nameOf = (repository: Repository): string => JSON.stringify(keyOf(repository))

export const repositoryMutants: MetadataFaults = {
  "a repository that one host unlinks isn't found by another that has found it before": {
    "caches links of repositories": caching(RepositoryStore, ({ find }, cached) => ({ find: cached(find) }))
  },
  "another account doesn't find the link": {
    "forgets the account of a link when it is looked for": altered(RepositoryStore, (store) => {
      const linked = new Map<string, Repository>()
      return {
        link: (repository) =>
          Effect.tap(store.link(repository), (link) => Effect.sync(() => linked.set(nameOf(link), link))),
        find: (account, key) => {
          const holder = linked.get(JSON.stringify(key))?.accountId
          return store.find(holder ?? account, key)
        }
      }
    })
  },
  "a repository that is linked again keeps its id and gets the new owner, repo and time": {
    "gives a repository that is linked once more a new id": altered(RepositoryStore, (store) => ({
      link: (repository) =>
        Effect.map(store.link(repository), (link) =>
          link.linkedAt === repository.linkedAt ? { ...link, id: repository.id } : link
        )
    }))
  },
  "settings are those of the link, set and unset, until the repository is linked again": {
    "forgets the web URL when the default branch is set": altered(RepositoryStore, (store) => ({
      configure: (account, key, { defaultBranch }) =>
        store.configure(account, key, defaultBranch === undefined ? {} : { defaultBranch })
    })),
    "links without the default branch": altered(RepositoryStore, (store) => ({
      link: (repository) => {
        const { defaultBranch: _, ...rest } = repository
        return store.link(rest)
      }
    })),
    "sets the default branch of every account that links the repository": altered(RepositoryStore, (store) => {
      const linked = new Map<string, Repository>()
      return {
        link: (repository) =>
          Effect.tap(store.link(repository), (link) => Effect.sync(() => linked.set(nameOf(link), link))),
        configure: (account, key, settings) =>
          store.configure(linked.get(JSON.stringify(key))?.accountId ?? account, key, settings)
      }
    })
  },
  "letter case is decided by the key and not by the rules of a language": {
    "folds case as a language does": altered(RepositoryStore, (store) => {
      const folded = (text: string) => text.toUpperCase().toLowerCase().replaceAll("ς", "σ")
      return {
        link: (repository) =>
          Effect.map(store.link({ ...repository, repo: folded(repository.repo) }), (link) => ({
            ...link,
            repo: repository.repo
          })),
        find: (account, { owner, repo }) => store.find(account, repositoryKey(owner, folded(repo)))
      }
    })
  },
  "the list is ordered by owner, then repo, without regard to case": {
    "lists links in the order in which they were made": altered(RepositoryStore, (store) => {
      const made: Array<string> = []
      return {
        link: (repository) => Effect.tap(store.link(repository), ({ id }) => Effect.sync(() => made.push(id))),
        list: (account) =>
          Effect.map(store.list(account), (all) => all.toSorted((a, b) => made.indexOf(a.id) - made.indexOf(b.id)))
      }
    })
  },
  "exactly one of two accounts that link a repository at the same time succeeds": {
    "lets two accounts link one repository at once": altered(RepositoryStore, (store) => {
      const asked = new Map<string, number>()
      return {
        link: Effect.fnUntraced(function* (repository) {
          const name = nameOf(repository)
          asked.set(name, (asked.get(name) ?? 0) + 1)
          yield* Effect.yieldNow
          const isAlone = asked.get(name) === 1
          const linked = yield* Effect.result(store.link(repository)).pipe(
            Effect.ensuring(Effect.sync(() => asked.set(name, (asked.get(name) ?? 1) - 1)))
          )
          if (linked._tag === "Success") return linked.success
          return isAlone ? yield* linked.failure : repository
        })
      }
    })
  }
}
