import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { Openings } from "../content/Openings.ts"
import type { PreviewMetadata } from "../../../core/api/previews/responses.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import {
  bundleFacts,
  code,
  deviceText,
  factGroup,
  factOf,
  fileSection,
  platforms,
  refreshSeconds,
  statuses,
  statusNotice
} from "../ui/facts.ts"
import { hrefOf } from "../ui/href.ts"
import { page } from "../ui/layout.ts"
import type { PageContext } from "../ui/layout.ts"
import { runList } from "../ui/lists.ts"
import { recordingSection } from "../content/recordingSection.ts"
import { replaySection } from "../replay/replayPage.ts"
import type { Recorded } from "../replay/replayPage.ts"
import { repositoryStep } from "../ui/repositoryPath.ts"
import { shortText, timeHtml } from "../ui/text.ts"

/** Where it comes from, when it was made, and what it is meant for. */
const provenance = (
  { shared }: PageContext,
  { createdAt, device, git, readyAt, status, url }: PreviewMetadata
): ReadonlyArray<string> => [
  factGroup("Git", [
    ...factOf("Owner", git.owner, (owner) => html`<bdi>${owner}</bdi>`),
    ...factOf("Repository", git.repo, (repo) => html`<bdi>${repo}</bdi>`),
    ...factOf("Branch", git.branch, code),
    ...factOf("Commit", git.commitSha, code),
    ...factOf("Pull request", git.pr, (pr) => `#${pr}`)
  ]),
  factGroup("Preview", [
    ["Status", statuses[status].label],
    ["Created", timeHtml(createdAt)],
    ...factOf("Ready", readyAt, timeHtml),
    ...(shared === true ? [] : [["Page", code(url)] as const])
  ]),
  factGroup("Device", [
    ...factOf("Platform", device.platform, (platform) => platforms[platform]),
    ...(device.width === undefined || device.height === undefined
      ? []
      : [["Screen", deviceText({ width: device.width, height: device.height })] as const])
  ])
]

/** What it is made of, and who pays for it. */
const particulars = (
  { shared, site }: PageContext,
  { account, billingKind, bundle }: PreviewMetadata
): ReadonlyArray<string> => [
  factGroup("Bundle", [
    ...bundleFacts(bundle),
    ...factOf("As uploaded", bundle.url, (url) => html`<a href="${hrefOf(site, url)}">Open the bundle</a>`)
  ]),
  shared === true
    ? ""
    : factGroup("Account", [
        ["Name", html`<bdi>${account.name}</bdi>`],
        ["Id", code(account.id)],
        ...factOf("Billed as", billingKind, code)
      ])
]

const heading = ({ git: { owner, repo } }: PreviewMetadata): string => {
  const before = owner === undefined ? "" : html`<span class="owner"><bdi>${owner}</bdi>/</span>`
  return repo === undefined ? "Preview" : html`!${before}<bdi>${repo}</bdi>`
}

const recorded = ({ recordings }: PreviewMetadata, { objectsPath }: Openings): ReadonlyArray<Recorded> =>
  recordings.map(({ contentType, name }, index) => ({ name, contentType, source: `${objectsPath}recordings/${index}` }))

/** The runs of a preview: who comes from one goes back to it, so they stand near the top. */
const runSection = (base: string, runs: ReadonlyArray<TestRunView>): string =>
  runs.length === 0
    ? ""
    : html`<section class="card" aria-labelledby="runs">
        <h2 id="runs">Test runs <span class="count">${runs.length}</span></h2>
        !${runList(base, runs, { withRepository: false })}
      </section>`

/**
 * A preview's facts in their groups and, when it is ready, the preview running; with its runs, and its repository where
 * that is one of the account's.
 */
export const previewPage = (
  context: PageContext,
  preview: PreviewMetadata,
  openings: Openings | undefined,
  {
    repository,
    runs = []
  }: { readonly repository?: Repository | undefined; readonly runs?: ReadonlyArray<TestRunView> | undefined } = {}
): HttpServerResponse.HttpServerResponse => {
  const { device, files, git, status } = preview
  const title = git.repo ?? "Preview"
  const platform = device.platform === undefined ? "" : `${platforms[device.platform]} `
  return page(context, {
    title: git.branch === undefined ? title : `${title} ${shortText(git.branch, 60)}`,
    trail: repository === undefined ? [] : [repositoryStep(repository)],
    refreshSeconds: refreshSeconds(status),
    script: status === "uploading" ? "ready" : openings === undefined ? undefined : "replay",
    worker: openings === undefined ? undefined : "listener",
    styles: ["recordings", "replay"],
    main: html`<div class="title" data-status="${status}">
        <h1>!${heading(preview)}</h1>
        <p class="at">
          <span class="pill ${status}">${statuses[status].label}</span> ${platform}preview
          !${git.branch === undefined ? "" : html`of !${code(shortText(git.branch, 60))}`}
          !${git.commitSha === undefined ? "" : html`at !${code(git.commitSha.slice(0, 7))}`}
        </p>
        !${statusNotice(status)}
        !${
          openings === undefined || context.shared === true
            ? ""
            : html`<p class="doing">
                <a class="button" href="${context.site.base}/previews/${preview.shareId}/shares">Share</a>
              </p>`
        }
      </div>
      <div class="columns">
        !${replaySection(context, openings === undefined ? undefined : { title, device, path: openings.framePath, recordings: recorded(preview, openings) })}
        <div class="stack">
          !${runSection(context.site.base, runs)}
          <div class="card groups">!${provenance(context, preview)}</div>
        </div>
      </div>
      <div class="stack below">
        !${recordingSection(context.site, preview, openings)}
        <div class="columns split">
          !${fileSection(files, ({ path, url }) =>
            openings === undefined || url === undefined
              ? undefined
              : { view: `${openings.viewPath}?${new URLSearchParams({ path })}`, asUploaded: hrefOf(context.site, url) }
          )}
          <div class="card groups">!${particulars(context, preview)}</div>
        </div>
      </div>`
  })
}
