import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { PreviewMetadata } from "../../../core/api/previews/responses.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import {
  bundleFacts,
  code,
  deviceText,
  factList,
  factOf,
  fileSection,
  platforms,
  refreshSeconds,
  statuses,
  statusNotice
} from "./facts.ts"
import type { Fact } from "./facts.ts"
import { hrefOf } from "./href.ts"
import { page } from "./layout.ts"
import type { PageContext } from "./layout.ts"
import { runList } from "./lists.ts"
import { recordingSection } from "./recordings.ts"
import { replaySection } from "./replay.ts"
import type { Recorded } from "./replay.ts"
import { replayStyle } from "./replayStyle.ts"
import { shortText, timeHtml } from "./text.ts"

/** Where a preview that is ready can be opened without a session: its running documents, and its objects. */
export interface Openings {
  readonly framePath: string
  readonly objectsPath: string
  /** The page that shows one of its files or recordings. */
  readonly viewPath: string
}

const group = (name: string, facts: ReadonlyArray<Fact>): string =>
  facts.length === 0
    ? ""
    : html`<section aria-label="${name}">
        <h2>${name}</h2>
        !${factList(facts)}
      </section>`

const groups = (
  { shared, site }: PageContext,
  { account, billingKind, bundle, createdAt, device, git, readyAt, status, url }: PreviewMetadata
) => [
  group("Preview", [
    ["Status", statuses[status].label],
    ["Created", timeHtml(createdAt)],
    ...factOf("Ready", readyAt, timeHtml),
    ...(shared === true ? [] : [["Page", code(url)] as const])
  ]),
  group("Device", [
    ...factOf("Platform", device.platform, (platform) => platforms[platform]),
    ...(device.width === undefined || device.height === undefined
      ? []
      : [["Screen", deviceText({ width: device.width, height: device.height })] as const])
  ]),
  group("Bundle", [
    ...bundleFacts(bundle),
    ...factOf("As uploaded", bundle.url, (url) => html`<a href="${hrefOf(site, url)}">Open the bundle</a>`)
  ]),
  group("Git", [
    ...factOf("Owner", git.owner, (owner) => html`<bdi>${owner}</bdi>`),
    ...factOf("Repository", git.repo, (repo) => html`<bdi>${repo}</bdi>`),
    ...factOf("Branch", git.branch, code),
    ...factOf("Commit", git.commitSha, code),
    ...factOf("Pull request", git.pr, (pr) => `#${pr}`)
  ]),
  shared === true
    ? ""
    : group("Account", [
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

/** A preview's facts in their groups and, when it is ready, the preview running. */
export const previewPage = (
  context: PageContext,
  preview: PreviewMetadata,
  openings: Openings | undefined,
  runs: ReadonlyArray<TestRunView> = []
): HttpServerResponse.HttpServerResponse => {
  const { device, files, git, status } = preview
  const title = git.repo ?? "Preview"
  const platform = device.platform === undefined ? "" : `${platforms[device.platform]} `
  return page(context, {
    title: git.branch === undefined ? title : `${title} ${shortText(git.branch, 60)}`,
    refreshSeconds: refreshSeconds(status),
    script: status === "uploading" ? "ready" : openings === undefined ? undefined : "replay",
    worker: openings === undefined ? undefined : "listener",
    styles: [replayStyle],
    main: html`<div class="title" data-status="${status}">
        <h1>!${heading(preview)}</h1>
        <p class="at">
          <span class="pill ${status}">${statuses[status].label}</span> ${platform}preview
          !${git.branch === undefined ? "" : `of ${code(shortText(git.branch, 60))}`}
          !${git.commitSha === undefined ? "" : `at ${code(git.commitSha.slice(0, 7))}`}
        </p>
        !${statusNotice(status)}
        !${
          openings === undefined || context.shared === true
            ? ""
            : html`<p><a class="button" href="${context.site.base}/previews/${preview.shareId}/shares">Share</a></p>`
        }
      </div>
      <div class="columns">
        !${replaySection(context, openings === undefined ? undefined : { title, device, path: openings.framePath, recordings: recorded(preview, openings) })}
        <div class="card groups">!${groups(context, preview)}</div>
        !${recordingSection(context.site, preview, openings)}
        !${
          runs.length === 0
            ? ""
            : html`<section class="card" aria-labelledby="runs">
                <h2 id="runs">Test runs <span class="count">${runs.length}</span></h2>
                !${runList(context.site.base, runs, { withRepository: false })}
              </section>`
        }
        !${fileSection(files, ({ path, url }) =>
          openings === undefined || url === undefined
            ? undefined
            : { view: `${openings.viewPath}?${new URLSearchParams({ path })}`, asUploaded: hrefOf(context.site, url) }
        )}
      </div>`
  })
}
