import { Effect } from "effect"
import { repositoryKey } from "../../../core/model/Repository.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { keyOf } from "../parts/buildPorts.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

const nameOf = (repository: Repository): string => JSON.stringify(keyOf(repository))

export const repositoryMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "forgets the account of a link when it is looked for",
    caughtBy: "RepositoryStore > another account doesn't find the link",
    adapter: altered(RepositoryStore, (store) => {
      const linked = new Map<string, Repository>()
      return {
        ...store,
        link: (repository) =>
          Effect.tap(store.link(repository), (link) => Effect.sync(() => linked.set(nameOf(link), link))),
        find: (account, key) => {
          const holder = linked.get(JSON.stringify(key))?.accountId
          return store.find(holder ?? account, key)
        }
      }
    })
  },
  {
    fault: "gives a repository that is linked to another account away",
    caughtBy: "RepositoryStore > a repository that is linked elsewhere is refused, and nothing changes",
    adapter: altered(RepositoryStore, (store) => {
      const holders = new Map<string, Repository["accountId"]>()
      const link = (repository: Repository) =>
        Effect.tap(store.link(repository), ({ accountId }) =>
          Effect.sync(() => holders.set(nameOf(repository), accountId))
        )
      return {
        ...store,
        link: (repository) =>
          Effect.catchTag(link(repository), "LinkedElsewhere", () =>
            Effect.andThen(
              store.unlink(holders.get(nameOf(repository)) ?? repository.accountId, keyOf(repository)),
              link(repository)
            )
          )
      }
    })
  },
  {
    fault: "gives a repository that is linked once more a new id",
    caughtBy: "RepositoryStore > a repository that is linked again keeps its id and takes the new owner, repo and time",
    adapter: altered(RepositoryStore, (store) => ({
      ...store,
      link: (repository) =>
        Effect.map(store.link(repository), (link) =>
          link.linkedAt === repository.linkedAt ? { ...link, id: repository.id } : link
        )
    }))
  },
  {
    fault: "keeps owner and repo in lower case",
    caughtBy: "RepositoryStore > a link is answered and found with every field unchanged",
    adapter: altered(RepositoryStore, (store) => ({
      ...store,
      link: (repository) => store.link({ ...repository, ...keyOf(repository) })
    }))
  },
  {
    fault: "folds case as a language does",
    caughtBy: "RepositoryStore > letter case is decided by the key and not by the rules of a language",
    adapter: altered(RepositoryStore, (store) => {
      const folded = (text: string) => text.toUpperCase().toLowerCase().replaceAll("ς", "σ")
      return {
        ...store,
        link: (repository) =>
          Effect.map(store.link({ ...repository, repo: folded(repository.repo) }), (link) => ({
            ...link,
            repo: repository.repo
          })),
        find: (account, { owner, repo }) => store.find(account, repositoryKey(owner, folded(repo)))
      }
    })
  },
  {
    fault: "lets any account end a link",
    caughtBy:
      "RepositoryStore > an unlinked repository isn't found any more, and unlinking again answers that there was no link",
    adapter: altered(RepositoryStore, (store) => {
      const holders = new Map<string, Repository["accountId"]>()
      return {
        ...store,
        link: (repository) =>
          Effect.tap(store.link(repository), (link) => Effect.sync(() => holders.set(nameOf(link), link.accountId))),
        unlink: (account, key) => store.unlink(holders.get(JSON.stringify(key)) ?? account, key)
      }
    })
  },
  {
    fault: "lists links in the order in which they were made",
    caughtBy: "RepositoryStore > the list is ordered by owner, then repo, without regard to case",
    adapter: altered(RepositoryStore, (store) => {
      const made: Array<string> = []
      return {
        ...store,
        link: (repository) => Effect.tap(store.link(repository), ({ id }) => Effect.sync(() => made.push(id))),
        list: (account) =>
          Effect.map(store.list(account), (all) => all.toSorted((a, b) => made.indexOf(a.id) - made.indexOf(b.id)))
      }
    })
  },
  {
    fault: "lets two accounts link one repository at once",
    caughtBy: "RepositoryStore > exactly one of two accounts that link a repository at the same time succeeds",
    adapter: altered(RepositoryStore, (store) => {
      const asked = new Map<string, number>()
      return {
        ...store,
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
]
