/** Branches, commits with their authors, and pull requests, as links to where the code is, if the repository says where. */
import type { Repository } from "../../../core/model/Repository.ts"
import { messageLine } from "../../../core/rules/testResults.ts"
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

/** The first line of the message of a commit. */
export const commitTitle = (message: string | undefined, length: number): string | undefined => {
  const line = message === undefined ? undefined : messageLine(message)
  return line === undefined ? undefined : shortText(line, length)
}

/**
 * What git knows of an upload or a run, as HTML: its branch, its commit with the title, its pull request and its author, where they are
 * known.
 */
export const gitParts = (
  repository: Pick<Repository, "webUrl"> | undefined,
  {
    author,
    branch,
    commitMessage,
    commitSha,
    pr
  }: {
    readonly author?: string | undefined
    readonly commitMessage?: string | undefined
    readonly branch?: string | undefined
    readonly commitSha?: string | undefined
    readonly pr?: number | undefined
  }
): ReadonlyArray<Html> => {
  const link = (kind: Kind, name: string, text: Html): Html =>
    repository?.webUrl === undefined ? text : html`<a href="${urlOf(repository.webUrl, kind, name)}">${text}</a>`
  const title = commitTitle(commitMessage, shown)
  return [
    ...(branch === undefined ? [] : [link("branch", branch, code(shortText(branch, shown)))]),
    ...(commitSha === undefined ? [] : [link("commit", commitSha, code(commitSha.slice(0, 7)))]),
    ...(title === undefined ? [] : [html`<bdi>${title}</bdi>`]),
    ...(pr === undefined ? [] : [link("pull", String(pr), html`#${pr}`)]),
    ...(author === undefined ? [] : [html`by <bdi>${shortText(author, shown)}</bdi>`])
  ]
}
