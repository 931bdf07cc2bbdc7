import type { HttpServerResponse } from "effect/http"
import { html } from "ghtml"
import type { BuildRow } from "../../../core/api/builds/responses.ts"
import { page } from "./layout.ts"
import type { PageContext } from "./layout.ts"
import { replayFrame } from "./replay.ts"
import { exactSizeText, shortText, sizeText, timeHtml } from "./text.ts"

const platforms: Record<BuildRow["platform"], string> = { ios: "iOS", android: "Android" }

const statuses: Record<BuildRow["status"], { readonly label: string; readonly text?: string }> = {
  ready: { label: "Ready" },
  uploading: {
    label: "Uploading",
    text: "The upload is under way. This page looks again every five seconds."
  },
  expired: {
    label: "Expired",
    text: "The upload was never finished and its time is over. Upload the build again to see it here."
  }
}

/** Anyone's text, kept from turning around what stands beside it. */
const code = (value: string): string => html`<code><bdi>${value}</bdi></code>`

/** What is known of a build by name, as HTML. */
const factsOf = (row: BuildRow, replayPath: string): ReadonlyArray<readonly [name: string, value: string]> => [
  ["Status", statuses[row.status].label],
  ["Repository", html`<bdi>${row.owner}/${row.repo}</bdi>`],
  ["Branch", code(row.branch)],
  ["Platform", platforms[row.platform]],
  ["Commit", code(row.commitSha)],
  ["Bundle", `${exactSizeText(row.bundleSizeBytes)}, ${code(row.bundleContentType)}`],
  ["Content hash", code(row.contentHash)],
  ...(row.entry === undefined ? [] : [["Entry", code(row.entry)] as const]),
  ["Transformed", row.isTransformed ? "yes" : "no"],
  ...(row.bundleOrigin === undefined ? [] : [["Served from", code(row.bundleOrigin)] as const]),
  ...(row.deviceSpec === undefined ? [] : [["Device", `${row.deviceSpec.width} × ${row.deviceSpec.height}`] as const]),
  ["Created", timeHtml(row.createdAt)],
  ["Updated", timeHtml(row.updatedAt)],
  ...(row.readyAt === undefined ? [] : [["Ready", timeHtml(row.readyAt)] as const]),
  ["Page", code(row.url)],
  ...(row.previewUrl === undefined
    ? []
    : [["Replay", html`<a href="${replayPath}"><code>${row.previewUrl}</code></a>`] as const])
]

const fact = ([name, value]: readonly [name: string, value: string]): string =>
  html`<div>
    <dt>${name}</dt>
    <dd>!${value}</dd>
  </div>`

const file = (one: BuildRow["files"][number]): string =>
  html`<tr>
    <th scope="row">
      <bdi>${one.path}</bdi>!${
        one.contentHash === undefined
          ? ""
          : html`<code class="hash"><span class="unseen">, SHA-256 </span>${one.contentHash}</code>`
      }
    </th>
    <td>
      ${sizeText(one.sizeBytes)}
      <span class="type"><bdi>${one.contentType}</bdi></span>
    </td>
  </tr> `

const files = (row: BuildRow): string =>
  row.files.length === 0
    ? html`<p>Nothing but the bundle.</p>`
    : html`<table>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">Size and type</th>
          </tr>
        </thead>
        <tbody>
          !${row.files.map(file)}
        </tbody>
      </table>`

/** A build's facts and, when it is ready, the build running: `framePath` leads to its documents. */
export const buildPage = (
  context: PageContext,
  row: BuildRow,
  framePath: string | undefined
): HttpServerResponse.HttpServerResponse => {
  const status = statuses[row.status]
  const replayPath = `${context.site.base}/builds/${encodeURIComponent(row.id)}/replay`
  return page(context, {
    title: `${row.repo} ${shortText(row.branch, 60)} (${platforms[row.platform]})`,
    refreshSeconds: row.status === "uploading" ? 5 : undefined,
    main: html`<div class="title">
        <h1>
          <span class="owner"><bdi>${row.owner}</bdi>/</span><bdi>${row.repo}</bdi>
        </h1>
        <p class="at">
          <span class="pill ${row.status}">${status.label}</span> ${platforms[row.platform]} build of
          !${code(shortText(row.branch, 60))} at !${code(row.commitSha.slice(0, 7))}
        </p>
        !${status.text === undefined ? "" : html`<p class="notice" role="status">${status.text}</p>`}
        !${framePath === undefined ? "" : html`<p><a class="button" href="${replayPath}">Open the replay in the full window</a></p>`}
      </div>
      <div class="columns">
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          <dl class="facts">!${factsOf(row, replayPath).map(fact)}</dl>
        </section>
        !${
          framePath === undefined
            ? ""
            : html`<section class="device" aria-labelledby="replay">
                <h2 id="replay" class="unseen">Replay</h2>
                <div class="screen">!${replayFrame({ row, path: framePath })}</div>
              </section>`
        }
        <section class="card files" aria-labelledby="files">
          <h2 id="files">Files <span class="count">${row.files.length}</span></h2>
          !${files(row)}
        </section>
      </div>`
  })
}
