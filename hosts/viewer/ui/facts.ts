/** The parts that pages about builds, previews and runs share. */
import { html, type Html } from "./html.ts"
import type { DeclaredFile, DeviceSpec } from "../../../core/model/Artifact.ts"
import type { BuildStatus, CiDetails, Platform } from "../../../core/model/Build.ts"
import type { TestRunKind, TestRunStatus } from "../../../core/model/TestRun.ts"
import { exactSizeText, sizeText } from "./text.ts"

export const platforms: Record<Platform, string> = { ios: "iOS", android: "Android" }

/** How the kind and the status of a run read. */
export const runKinds: Record<TestRunKind, string> = { maestro: "Maestro", detox: "Detox" }
export const runStatuses: Record<TestRunStatus, string> = { passed: "Passed", failed: "Failed" }

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
const mostCharacters = 2 ** 17

/** The first files, as many as are listed. */
const listed = (files: ReadonlyArray<DeclaredFile>): ReadonlyArray<DeclaredFile> => {
  let left = mostCharacters
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
