/** Branches, commits and pull requests, as links to where the code is, if the repository says where. */
import type { Repository } from "../../../core/model/Repository.ts"
import { code } from "./facts.ts"
import { html, type Html } from "./html.ts"
import { shortText } from "./shortText.ts"

type Kind = "branch" | "commit" | "pull"

const shapes: Record<"github" | "gitlab" | "bitbucket", Record<Kind, string>> = {
  github: { branch: "tree", commit: "commit", pull: "pull" },
  gitlab: { branch: "-/tree", commit: "-/commit", pull: "-/merge_requests" },
  bitbucket: { branch: "branch", commit: "commits", pull: "pull-requests" }
}

const urlOf = (webUrl: string, kind: Kind, name: string): string => {
  const { hostname } = new URL(webUrl)
  const shape = hostname.includes("gitlab") ? "gitlab" : hostname.includes("bitbucket") ? "bitbucket" : "github"
  return `${webUrl}/${shapes[shape][kind]}/${name.split("/").map(encodeURIComponent).join("/")}`
}

/** How many characters of a branch are shown. */
const shown = 60

/** What git knows of an upload or a run, as HTML: its branch, its commit and its pull request, where they are known. */
export const gitParts = (
  repository: Pick<Repository, "webUrl"> | undefined,
  {
    branch,
    commitSha,
    pr
  }: {
    readonly branch?: string | undefined
    readonly commitSha?: string | undefined
    readonly pr?: number | undefined
  }
): ReadonlyArray<Html> => {
  const link = (kind: Kind, name: string, text: Html): Html =>
    repository?.webUrl === undefined ? text : html`<a href="${urlOf(repository.webUrl, kind, name)}">${text}</a>`
  return [
    ...(branch === undefined ? [] : [link("branch", branch, code(shortText(branch, shown)))]),
    ...(commitSha === undefined ? [] : [link("commit", commitSha, code(commitSha.slice(0, 7)))]),
    ...(pr === undefined ? [] : [link("pull", String(pr), html`#${pr}`)])
  ]
}
