/** The parts that pages about builds, previews and runs share. */
import type { DateTime } from "effect"
import type { DeclaredFile, DeviceSpec } from "../../../core/model/Artifact.ts"
import type { BuildStatus, CiDetails, Platform, ReplayCheck } from "../../../core/model/Build.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { TestRun, TestRunKind, TestRunStatus } from "../../../core/model/TestRun.ts"
import { messageLine } from "../../../core/rules/testResults.ts"
import { type Path, paths } from "../access/site.ts"
import { html, type Html, exactSizeText, sizeText, timeHtml } from "./html.ts"
import type { PageContext, Step } from "./layout.ts"
import { shortText } from "./words.ts"

export const platforms: Record<Platform, string> = { ios: "iOS", android: "Android" }

/** How the kind and the status of a run read. */
export const runKinds: Record<TestRunKind, string> = { maestro: "Maestro", detox: "Detox" }
export const runStatuses: Record<TestRunStatus, string> = { passed: "Passed", failed: "Failed" }

/** How a run ended, as pages show it: a failure in quarantine is neither passed nor like other failures. */
export const runOutcome = ({
  quarantined,
  status
}: Pick<TestRun, "quarantined" | "status">): {
  readonly outcome: TestRunStatus | "quarantined"
  readonly label: string
} =>
  status === "failed" && quarantined === true
    ? { outcome: "quarantined", label: "Failed, quarantined" }
    : { outcome: status, label: runStatuses[status] }

/** How the status of an upload reads. */
export const statuses: Record<BuildStatus, { readonly label: string; readonly text?: string }> = {
  ready: { label: "Ready" },
  uploading: {
    label: "Uploading",
    text: "The upload is under way. This page turns ready by itself once it is finished."
  },
  expired: {
    label: "Expired",
    text: "The upload was never finished and its time is over. Upload it again to see it here."
  }
}

/** The notice on the page of an upload that isn't ready. */
export const statusNotice = (status: BuildStatus): Html | undefined => {
  const { text } = statuses[status]
  return text === undefined ? undefined : html`<p class="notice" role="status">${text}</p>`
}

/** After how many seconds the page of an upload is reloaded. */
export const refreshSeconds = (status: BuildStatus): number | undefined => (status === "uploading" ? 5 : undefined)

/** Untrusted text, isolated so that it can't reverse the text beside it. */
export const code = (value: string): Html => html`<code><bdi>${value}</bdi></code>`

/** The name of a repository, as HTML. */
export const repositoryHtml = ({ owner, repo }: { readonly owner: string; readonly repo: string }): Html =>
  html`<bdi>${owner}/${repo}</bdi>`

/** A labelled value. */
export type Fact = readonly [name: string, value: Html | string]

/** A fact, if there is a value. */
export const factOf = <A>(name: string, value: A | undefined, show: (value: A) => Html | string): ReadonlyArray<Fact> =>
  value === undefined ? [] : [[name, show(value)]]

export const deviceText = ({ height, width }: DeviceSpec): string => `${width} × ${height}`

/** The app of a build, preview, run or test, where the repository has several. */
export const appHtml = ({ app }: { readonly app?: string | undefined }): ReadonlyArray<Html> =>
  app === undefined ? [] : [html`<bdi>${app}</bdi>`]

/** What CI says of a commit and of its own job. */
export const ciFacts = ({ author, base, commitMessage, job }: CiDetails): ReadonlyArray<Fact> => [
  ...factOf("Commit message", commitMessage, (text) => html`<bdi class="lines">${text}</bdi>`),
  ...factOf("Author", author, (name) => html`<bdi>${name}</bdi>`),
  ...factOf("Base branch", base, code),
  ...factOf("Job", job, code)
]

/** The facts of a bundle. */
export const bundleFacts = (bundle: {
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
  readonly contentHash: string
  readonly entry?: string
  readonly isTransformed: boolean
  readonly bundleOrigin?: string
}): ReadonlyArray<Fact> => [
  ["Bundle", html`${exactSizeText(bundle.bundleSizeBytes)}, ${code(bundle.bundleContentType)}`],
  ["Content hash", code(bundle.contentHash)],
  ...factOf("Entry", bundle.entry, code),
  ["Transformed", bundle.isTransformed ? "yes" : "no"],
  ...factOf("Served from", bundle.bundleOrigin, code)
]

/** Facts under a heading, where there are any. */
export const factGroup = (name: string, facts: ReadonlyArray<Fact>): Html | undefined =>
  facts.length === 0
    ? undefined
    : html`<section aria-label="${name}">
        <h2>${name}</h2>
        ${factList(facts)}
      </section>`

/** The facts of a page, folded unless they are all that it shows. */
export const factCard = (isOpen: boolean, facts: Html): Html =>
  html`<details class="card fold" ${isOpen ? "open" : ""}>
    <summary><h2>Facts</h2></summary>
    ${facts}
  </details>`

/** Facts as a list of definitions. */
export const factList = (facts: ReadonlyArray<Fact>): Html =>
  html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`
    )}
  </dl>`

/** Digests by name, folded away because few people need them. */
export const digests = (
  objects: ReadonlyArray<{ readonly name: string; readonly contentHash?: string | undefined }>
): Html | undefined => {
  const known = objects.filter(({ contentHash }) => contentHash !== undefined)
  return known.length === 0
    ? undefined
    : html`<details class="digests">
        <summary>SHA-256 digests</summary>
        <dl>
          ${known.map(
            ({ contentHash, name }) =>
              html`<div>
                <dt><bdi>${name}</bdi></dt>
                <dd><code>${contentHash}</code></dd>
              </div>`
          )}
        </dl>
      </details>`
}

/** Where a file is shown, if it has a page, and where it is opened as it was uploaded. */
interface FileLinks {
  readonly view?: string
  readonly asUploaded: string
}

/** A link to an uploaded object. */
export const asUploaded = (href: string, name: string): Html =>
  html`<a href="${href}"
    >As uploaded<span class="unseen"> <bdi>${name}</bdi></span></a
  >`

const file = ({ contentType, path, sizeBytes }: DeclaredFile, links: FileLinks | undefined): Html =>
  html`<tr>
    <th scope="row">
      ${links?.view === undefined ? html`<bdi>${path}</bdi>` : html`<a href="${links.view}"><bdi>${path}</bdi></a>`}
    </th>
    <td>
      <div class="details">
        <span>${sizeText(sizeBytes)}</span> <span class="type"><bdi>${contentType}</bdi></span>
        ${links === undefined ? "" : asUploaded(links.asUploaded, path)}
      </div>
    </td>
  </tr> `

/** The total length of the listed files' paths: each path is in the page several times. */
const maxCharacters = 2 ** 17

/** The first files, as many as are listed. */
const listed = (files: ReadonlyArray<DeclaredFile>): ReadonlyArray<DeclaredFile> => {
  let left = maxCharacters
  const end = files.findIndex(({ contentType, path }) => {
    left -= path.length + contentType.length
    return left < 0
  })
  return end < 0 ? files : files.slice(0, end)
}

/** The files beside a bundle, as many as are listed; `linksOf` leads to one where it can be opened. */
export const fileSection = (
  files: ReadonlyArray<DeclaredFile>,
  linksOf: (file: DeclaredFile) => FileLinks | undefined = () => undefined
): Html => {
  const shown = listed(files)
  return html`<section class="card" aria-labelledby="files">
    <h2 id="files">Files <span class="count">${files.length}</span></h2>
    ${
      files.length === 0
        ? html`<p>There are no files beside the bundle.</p>`
        : html`<table class="files">
              <thead>
                <tr>
                  <th scope="col">Path</th>
                  <th scope="col">Size and type</th>
                </tr>
              </thead>
              <tbody>
                ${shown.map((one) => file(one, linksOf(one)))}
              </tbody>
            </table>
            ${
              shown.length === files.length
                ? ""
                : html`<p class="notice">
                    These are the first ${shown.length}: their paths are too long to list all of them.
                  </p>`
            }
            ${digests(shown.map(({ contentHash, path }) => ({ name: path, contentHash })))}`
    }
  </section>`
}

// Branches, commits with their authors, and pull requests, as links to where the code is, if the repository says where.

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

/** A link to what changed between two commits, if the repository says where its code is. */
export const diffLink = (
  { webUrl }: Pick<Repository, "webUrl">,
  from: string | undefined,
  to: string | undefined,
  attributes?: Html
): Html | undefined => {
  if (webUrl === undefined || from === undefined || to === undefined || from === to) return undefined
  const { hostname } = new URL(webUrl)
  const path = hostname.includes("gitlab")
    ? `-/compare/${from}...${to}`
    : hostname.includes("bitbucket")
      ? `branches/compare/${to}%0D${from}`
      : `compare/${from}...${to}`
  const href = `${webUrl}/${path}`
  return attributes === undefined ? html`<a href="${href}">Diff</a>` : html`<a href="${href}" ${attributes}>Diff</a>`
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

/** A short word on a coloured ground. */
export const pill = (status: string, label: string): Html => html`<span class="pill ${status}">${label}</span>`

// What CI found when it opened an app before its upload. An app that nobody opened is "not checked".

const labels: Readonly<Record<ReplayCheck["firstScreen"], string>> = {
  drawn: "First screen drawn",
  not_drawn: "No first screen",
  not_checked: "First screen not checked"
}

const marks: Readonly<Record<ReplayCheck["firstScreen"], string>> = {
  drawn: "passed",
  not_drawn: "failed",
  not_checked: "unchecked"
}

/** Beside the title, where CI tried to find out. */
export const checkPill = (check: ReplayCheck | undefined): Html | undefined =>
  check === undefined ? undefined : pill(marks[check.firstScreen], labels[check.firstScreen])

const names = (all: ReadonlyArray<string>): Html =>
  html`${all.map((name, index) => html`${index === 0 ? "" : ", "}<code><bdi>${name}</bdi></code>`)}`

export const checkFacts = (check: ReplayCheck | undefined): ReadonlyArray<Fact> => {
  const { boxes = [], firstScreen = "not_checked", missing = [], reason } = check ?? {}
  return [
    ["First screen", { drawn: "Drawn", not_drawn: "Not drawn", not_checked: "Not checked" }[firstScreen]],
    ...(reason === undefined
      ? []
      : [[firstScreen === "drawn" ? "Error" : "Reason", html`<bdi class="lines">${reason}</bdi>`] as const]),
    ...(boxes.length === 0 ? [] : [["Drawn as boxes", names(boxes)] as const]),
    ...(missing.length === 0 ? [] : [["Missing", names(missing)] as const])
  ]
}

/** A repository's page as one above another. */
export const repositoryStep = (repository: Pick<Repository, "owner" | "repo">): Step => ({
  name: `${repository.owner}/${repository.repo}`,
  path: paths.repository(repository)
})

/** A repository as a link to its page. */
export const repositoryLink = (base: string, repository: Pick<Repository, "owner" | "repo">): Html =>
  html`<a href="${base + paths.repository(repository)}">${repositoryHtml(repository)}</a>`

// The buttons that keep, share and delete builds, previews and runs.

/** What can be done with a build or a preview of an own account. `isOpened` is whether its app can be opened. */
export const uploadActions = (
  context: PageContext,
  {
    isOpened,
    keptAt,
    path
  }: { readonly isOpened: boolean; readonly keptAt: DateTime.Utc | undefined; readonly path: Path }
): Html | undefined => {
  const { mayDelete, shared, site } = context
  if (shared === true || (!isOpened && mayDelete !== true)) return undefined
  return html`${
    isOpened
      ? html`<a class="button" href="${site.base + paths.shares(path)}">Share</a>
          <a class="button quiet" href="${site.base + paths.replay(path)}">Full window</a>
          <a class="button quiet" href="${site.base + paths.compareApps(path)}">Compare with…</a>
          ${keepButton(context, keptAt)}`
      : ""
  }
  ${deleteButton(context, path)}`
}

/** Whether the caller may keep or release the page's resource. A released one may expire, so releasing needs the right to delete. */
const isOffered = ({ mayDelete }: PageContext, keptAt: DateTime.Utc | undefined): boolean =>
  keptAt === undefined || mayDelete === true

/** The button that protects the page's resource from expiry, or releases it. It submits {@link keepForm}. */
export const keepButton = (context: PageContext, keptAt: DateTime.Utc | undefined): Html | undefined =>
  isOffered(context, keptAt)
    ? html`<button class="button quiet" form="keep">${keptAt === undefined ? "Keep" : "Release"}</button>`
    : undefined

/** The form of {@link keepButton}. */
export const keepForm = (context: PageContext, path: Path, keptAt: DateTime.Utc | undefined): Html | undefined =>
  isOffered(context, keptAt)
    ? html`<form
        id="keep"
        method="post"
        action="${context.site.base + (keptAt === undefined ? paths.keep(path) : paths.release(path))}"
        hidden
      ></form>`
    : undefined

/** Since when a resource is kept, if it is. */
export const keptFact = (keptAt: DateTime.Utc | undefined): ReadonlyArray<Fact> =>
  keptAt === undefined ? [] : [["Kept", html`since ${timeHtml(keptAt)}, however old it gets`]]

/** A link to the confirmation of deletion; nothing if the caller may not delete. */
export const deleteButton = ({ mayDelete, site }: PageContext, path: Path): Html | undefined =>
  mayDelete === true ? html`<a class="button quiet" href="${site.base + paths.deletion(path)}">Delete…</a>` : undefined
