import { html } from "ghtml"
import type { PreviewMetadata } from "../../../core/api/previews/responses.ts"
import type { RecordingKind } from "../../../core/model/Preview.ts"
import { shownType } from "../contentType.ts"
import type { Site } from "../site.ts"
import { code, hashHtml } from "./facts.ts"
import { hrefOf } from "./href.ts"
import type { Openings } from "./preview.ts"
import { durationText, sizeText } from "./text.ts"

type Recording = PreviewMetadata["recordings"][number]

const kinds: Record<RecordingKind, string> = {
  video: "Video",
  screenshot: "Screenshot",
  events: "Events",
  log: "Log",
  other: "Other"
}

/** What can be seen in the page itself, by its type; `source` opens it without a session. */
const media = ({ contentType, name }: Recording, source: string): string => {
  const type = shownType(contentType, name)
  if (/^image\//i.test(type)) return html`<img src="${source}" alt="${name}" loading="lazy" />`
  return /^video\//i.test(type)
    ? html`<video src="${source}" aria-label="${name}" controls playsinline preload="metadata"></video>`
    : ""
}

const when = ({ durationMs, startedAtMs }: Recording): ReadonlyArray<string> => [
  ...(startedAtMs === undefined ? [] : [`from ${durationText(startedAtMs)}`]),
  ...(durationMs === undefined ? [] : [`for ${durationText(durationMs)}`])
]

const item = (
  site: Site["Service"],
  recording: Recording,
  index: number,
  openings: Pick<Openings, "objectsPath" | "viewPath"> | undefined
): string => {
  const { contentHash, contentType, kind, name, sizeBytes, url } = recording
  return html`<li>
    !${openings === undefined ? "" : media(recording, `${openings.objectsPath}recordings/${index}`)}
    <strong>
      !${url === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${hrefOf(site, url)}"><bdi>${name}</bdi></a>`}
    </strong>
    <span class="type">${[kinds[kind], sizeText(sizeBytes), ...when(recording)].join(", ")}</span>
    <span class="type">!${code(contentType)}</span>
    !${hashHtml(contentHash)}
    !${
      openings === undefined
        ? ""
        : html`<a class="type" href="${openings.viewPath}?recording=${index}"
            >Look into it<span class="unseen">: <bdi>${name}</bdi></span></a
          >`
    }
  </li>`
}

/** The recordings of a preview; images and videos are shown where they can be opened. */
export const recordingSection = (
  site: Site["Service"],
  { recordings }: Pick<PreviewMetadata, "recordings">,
  openings: Pick<Openings, "objectsPath" | "viewPath"> | undefined
): string =>
  html`<section class="card" aria-labelledby="recordings">
    <h2 id="recordings">Recordings <span class="count">${recordings.length}</span></h2>
    !${
      recordings.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="recordings">
            !${recordings.map((one, index) => item(site, one, index, openings))}
          </ul>`
    }
  </section>`
