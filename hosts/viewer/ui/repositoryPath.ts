import type { Repository } from "../../../core/model/Repository.ts"
import type { Step } from "./layout.ts"

type Named = Pick<Repository, "owner" | "repo">

/** The path of a repository's page. */
export const repositoryPath = ({ owner, repo }: Named): string =>
  `/repositories?${new URLSearchParams({ owner, repo })}`

/** A repository's page as one above another. */
export const repositoryStep = ({ owner, repo }: Named): Step => ({
  name: `${owner}/${repo}`,
  path: repositoryPath({ owner, repo })
})
