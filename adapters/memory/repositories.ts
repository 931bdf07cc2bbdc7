import { Effect, Option } from "effect"
import { repositoryKey } from "../../core/model/Repository.ts"
import { LinkedElsewhere, RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { byText, linkedRepository, linksOf } from "./state.ts"
import type { State } from "./state.ts"

export const repositoryStore = (state: State) =>
  RepositoryStore.of({
    link: (repository) =>
      Effect.suspend(() => {
        const links = linksOf(state, repositoryKey(repository.owner, repository.repo))
        const holding = links.find(({ linked }) => linked)?.repository
        if (holding !== undefined) {
          return holding.accountId === repository.accountId
            ? Effect.succeed(holding)
            : Effect.fail(new LinkedElsewhere())
        }
        const earlier = links.find((link) => link.repository.accountId === repository.accountId)?.repository
        const now = earlier === undefined ? repository : { ...repository, id: earlier.id }
        state.links.set(now.id, { repository: now, linked: true })
        return Effect.succeed(now)
      }),
    unlink: (account, key) =>
      Effect.sync(() => {
        const holding = linksOf(state, key).find((link) => link.linked && link.repository.accountId === account)
        if (holding === undefined) return false
        state.links.set(holding.repository.id, { ...holding, linked: false })
        return true
      }),
    find: (account, key) => Effect.sync(() => Option.fromUndefinedOr(linkedRepository(state, account, key))),
    list: (account) =>
      Effect.sync(() =>
        Array.from(state.links.values())
          .filter((link) => link.linked && link.repository.accountId === account)
          .map(({ repository }) => ({ repository, key: repositoryKey(repository.owner, repository.repo) }))
          .toSorted((a, b) => byText(a.key.owner, b.key.owner) || byText(a.key.repo, b.key.repo))
          .map(({ repository }) => repository)
      )
  })
