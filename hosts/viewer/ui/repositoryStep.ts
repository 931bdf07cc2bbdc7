import type { Repository } from "../../../core/model/Repository.ts"
import { paths } from "../access/paths.ts"
import { repositoryHtml } from "./facts.ts"
import { html, type Html } from "./html.ts"
import type { Step } from "./layout.ts"

/** A repository's page as one above another. */
export const repositoryStep = (repository: Pick<Repository, "owner" | "repo">): Step => ({
  name: `${repository.owner}/${repository.repo}`,
  path: paths.repository(repository)
})

/** A repository as a link to its page. */
export const repositoryLink = (base: string, repository: Pick<Repository, "owner" | "repo">): Html =>
  html`<a href="${base + paths.repository(repository)}">${repositoryHtml(repository)}</a>`
