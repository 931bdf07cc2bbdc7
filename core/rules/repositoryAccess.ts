import type { RepositoryAccess, RepositorySelection } from "../model/ApiKey.ts"
import { repositoryKey, type Repository } from "../model/Repository.ts"

type Named = Pick<Repository, "owner" | "repo">

const textOf = ({ owner, repo }: Named): string => {
  const key = repositoryKey(owner, repo)
  return `${key.owner}/${key.repo}`
}

const selects = (selection: RepositorySelection): ((repository: Named) => boolean) => {
  if (typeof selection === "function") return ({ owner, repo }) => selection({ owner, repo }) === true
  const names = new Set(selection.map((name) => name.toLowerCase()))
  return (repository) => names.has(textOf(repository))
}

/** The access to some repositories. A caller may change only what it sees. */
export const repositoryAccess = (
  sees: RepositorySelection,
  mayChange: RepositorySelection = sees
): RepositoryAccess => {
  const [isSeen, isChangeable] = [selects(sees), selects(mayChange)]
  return { sees: isSeen, mayChange: (repository) => isSeen(repository) && isChangeable(repository) }
}
