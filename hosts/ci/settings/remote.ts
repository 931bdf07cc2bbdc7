/** Owner and name of the repository that a URL of git names, as far as it has both. */
export const repositoryOf = (url: string | undefined): { readonly owner?: string; readonly repo?: string } => {
  // `git@host:owner/name.git`, `ssh://git@host:22/owner/name`, `https://host/owner/name.git`.
  const [, path = ""] = /^(?:[a-z+]+:\/\/[^/]+\/|[^/:]+:)(.+?)(?:\.git)?\/?$/i.exec(url ?? "") ?? []
  // Azure Repos has `_git` before the name, or by SSH `v3` before all.
  const parts = path
    .replace(/^v3\//, "")
    .split("/")
    .filter((part) => part !== "" && part !== "_git")
  const [repo] = parts.slice(-1)
  return repo === undefined || parts.length < 2 ? {} : { owner: parts.slice(0, -1).join("/"), repo }
}
