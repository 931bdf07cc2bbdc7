import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { BuildRow } from "../../../core/api/builds/responses.ts"
import type { BuildReservation } from "../../../core/model/Build.ts"
import {
  bundleFacts,
  code,
  deviceText,
  factGroup,
  factList,
  factOf,
  fileSection,
  platforms,
  refreshSeconds,
  repositoryHtml,
  statuses,
  statusNotice
} from "../ui/facts.ts"
import type { Fact } from "../ui/facts.ts"
import { page } from "../ui/layout.ts"
import type { PageContext } from "../ui/layout.ts"
import { replaySection } from "../replay/replayPage.ts"
import { repositoryStep } from "../ui/repositoryPath.ts"
import { shortText, sizeText, timeHtml } from "../ui/text.ts"

/** What is known of a build by name. */
const factsOf = (row: BuildRow, replayPath: string): ReadonlyArray<Fact> => [
  ["Status", statuses[row.status].label],
  ["Repository", repositoryHtml(row)],
  ["Branch", code(row.branch)],
  ["Commit", code(row.commitSha)],
  ["Platform", platforms[row.platform]],
  ...factOf("Device", row.deviceSpec, deviceText),
  ["Created", timeHtml(row.createdAt)],
  ["Updated", timeHtml(row.updatedAt)],
  ...factOf("Ready", row.readyAt, timeHtml),
  ["Page", code(row.url)],
  ...factOf("Replay", row.previewUrl, (url) => html`<a href="${replayPath}"><code>${url}</code></a>`)
]

/** The uploads of a build, the last first: what each of them brought, and what became of it. */
const uploadSection = (uploads: ReadonlyArray<BuildReservation>): string =>
  uploads.length < 2
    ? ""
    : html`<section class="card" aria-labelledby="uploads">
        <h2 id="uploads">Uploads <span class="count">${uploads.length}</span></h2>
        <ul class="list">
          !${uploads.map(
            ({ declaration, finalizedAt, reservedAt }) =>
              html`<li>
                <span>
                  <span class="name">!${timeHtml(reservedAt)}</span>
                  <span class="type">
                    ${sizeText(declaration.bundleSizeBytes)},
                    ${declaration.files.length === 1 ? "1 file" : `${declaration.files.length} files`}, SHA-256
                    <code>${declaration.contentHash.slice(0, 12)}…</code>
                  </span>
                </span>
                <span class="pill ${finalizedAt === undefined ? "uploading" : "ready"}"
                  >${finalizedAt === undefined ? "Not finished" : "Finalized"}</span
                >
              </li>`
          )}
        </ul>
      </section>`

/** A build's facts and, when it is ready, the build running: `framePath` leads to its documents. */
export const buildPage = (
  context: PageContext,
  row: BuildRow,
  framePath: string | undefined,
  uploads: ReadonlyArray<BuildReservation>
): HttpServerResponse.HttpServerResponse => {
  const replayPath = `${context.site.base}/builds/${encodeURIComponent(row.id)}/replay`
  return page(context, {
    title: `${row.repo} ${shortText(row.branch, 60)} (${platforms[row.platform]})`,
    trail: [repositoryStep(row)],
    refreshSeconds: refreshSeconds(row.status),
    script: row.status === "uploading" ? "ready" : framePath === undefined ? undefined : "replay",
    worker: framePath === undefined ? undefined : "listener",
    styles: ["replay"],
    main: html`<div class="title" data-status="${row.status}">
        <h1>
          <span class="owner"><bdi>${row.owner}</bdi>/</span><bdi>${row.repo}</bdi>
        </h1>
        <p class="at">
          <span class="pill ${row.status}">${statuses[row.status].label}</span> ${platforms[row.platform]} build of
          !${code(shortText(row.branch, 60))} at !${code(row.commitSha.slice(0, 7))}
        </p>
        !${statusNotice(row.status)}
        !${framePath === undefined ? "" : html`<p class="doing"><a class="button" href="${replayPath}">Open the replay in the full window</a></p>`}
      </div>
      <div class="columns">
        !${replaySection(context, framePath === undefined ? undefined : { title: row.repo, device: row.deviceSpec, path: framePath })}
        <div class="stack">
          <section class="card" aria-labelledby="facts">
            <h2 id="facts">Facts</h2>
            !${factList(factsOf(row, replayPath))}
          </section>
          !${uploadSection(uploads)}
        </div>
      </div>
      <div class="columns split below">
        !${fileSection(row.files)}
        <div class="card">
          !${factGroup(
            "Bundle",
            bundleFacts({
              ...row,
              sizeBytes: row.bundleSizeBytes,
              contentType: row.bundleContentType,
              origin: row.bundleOrigin
            })
          )}
        </div>
      </div>`
  })
}
