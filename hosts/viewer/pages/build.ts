import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { BuildRow } from "../../../core/api/builds/responses.ts"
import {
  bundleFacts,
  code,
  deviceText,
  factList,
  factOf,
  fileSection,
  platforms,
  refreshSeconds,
  repositoryHtml,
  statuses,
  statusNotice
} from "./facts.ts"
import type { Fact } from "./facts.ts"
import { page } from "./layout.ts"
import type { PageContext } from "./layout.ts"
import { replaySection } from "./replay.ts"
import { shortText, timeHtml } from "./text.ts"

/** What is known of a build by name. */
const factsOf = (row: BuildRow, replayPath: string): ReadonlyArray<Fact> => [
  ["Status", statuses[row.status].label],
  ["Repository", repositoryHtml(row)],
  ["Branch", code(row.branch)],
  ["Platform", platforms[row.platform]],
  ["Commit", code(row.commitSha)],
  ...bundleFacts({
    ...row,
    sizeBytes: row.bundleSizeBytes,
    contentType: row.bundleContentType,
    origin: row.bundleOrigin
  }),
  ...factOf("Device", row.deviceSpec, deviceText),
  ["Created", timeHtml(row.createdAt)],
  ["Updated", timeHtml(row.updatedAt)],
  ...factOf("Ready", row.readyAt, timeHtml),
  ["Page", code(row.url)],
  ...factOf("Replay", row.previewUrl, (url) => html`<a href="${replayPath}"><code>${url}</code></a>`)
]

/** A build's facts and, when it is ready, the build running: `framePath` leads to its documents. */
export const buildPage = (
  context: PageContext,
  row: BuildRow,
  framePath: string | undefined
): HttpServerResponse.HttpServerResponse => {
  const replayPath = `${context.site.base}/builds/${encodeURIComponent(row.id)}/replay`
  return page(context, {
    title: `${row.repo} ${shortText(row.branch, 60)} (${platforms[row.platform]})`,
    refreshSeconds: refreshSeconds(row.status),
    script: row.status === "uploading" ? "ready" : undefined,
    main: html`<div class="title" data-status="${row.status}">
        <h1>
          <span class="owner"><bdi>${row.owner}</bdi>/</span><bdi>${row.repo}</bdi>
        </h1>
        <p class="at">
          <span class="pill ${row.status}">${statuses[row.status].label}</span> ${platforms[row.platform]} build of
          !${code(shortText(row.branch, 60))} at !${code(row.commitSha.slice(0, 7))}
        </p>
        !${statusNotice(row.status)}
        !${framePath === undefined ? "" : html`<p><a class="button" href="${replayPath}">Open the replay in the full window</a></p>`}
      </div>
      <div class="columns">
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          !${factList(factsOf(row, replayPath))}
        </section>
        !${replaySection(framePath === undefined ? undefined : { title: row.repo, device: row.deviceSpec, path: framePath })}
        !${fileSection(row.files)}
      </div>`
  })
}
