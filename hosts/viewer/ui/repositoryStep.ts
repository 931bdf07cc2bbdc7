import type { Repository } from "../../../core/model/Repository.ts"
import { paths } from "../access/paths.ts"
import type { Step } from "./layout.ts"

/** A repository's page as one above another. */
export const repositoryStep = (repository: Pick<Repository, "owner" | "repo">): Step => ({
  name: `${repository.owner}/${repository.repo}`,
  path: paths.repository(repository)
})
