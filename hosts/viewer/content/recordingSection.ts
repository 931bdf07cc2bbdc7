import { html } from "ghtml"
import type { PreviewMetadata } from "../../../core/api/previews/responses.ts"
import type { RecordingKind } from "../../../core/model/Preview.ts"
import { shownType } from "./contentType.ts"
import type { Site } from "../access/site.ts"
import { asUploaded, code, digests } from "../ui/facts.ts"
import { hrefOf } from "../ui/href.ts"
import type { Openings } from "./Openings.ts"
import { durationText, sizeText } from "../ui/text.ts"

type Recording = PreviewMetadata["recordings"][number]

const kinds: Record<RecordingKind, string> = {
  video: "Video",
  screenshot: "Screenshot",
  events: "Events",
  log: "Log",
  other: "Other"
}

/** How a recording is told apart that isn't to be seen: by the end of its name, or its kind. */
const signOf = ({ kind, name }: Recording): string => /\.[a-z\d]{1,5}$/i.exec(name)?.[0] ?? kinds[kind]

/** A small picture of a recording; `source` opens it without a session. Of a video it is what shows after a second. */
const thumbnail = (recording: Recording, source: string): string => {
  const type = shownType(recording.contentType, recording.name)
  const [kind] = /^(?:image|video)(?=\/)/i.exec(type.toLowerCase()) ?? []
  const shown =
    kind === "image"
      ? html`<img src="${source}" alt="" loading="lazy" />`
      : kind === "video"
        ? html`<video src="${source}#t=1" muted playsinline preload="metadata"></video>`
        : html`<span>${signOf(recording)}</span>`
  return html`<span class="thumbnail ${kind ?? "other"}" aria-hidden="true">!${shown}</span>`
}

const startText = (startedAtMs: number): string =>
  startedAtMs === 0 ? "from the start" : `from ${durationText(startedAtMs)}`

const when = ({ durationMs, startedAtMs }: Recording): ReadonlyArray<string> => [
  ...(startedAtMs === undefined ? [] : [startText(startedAtMs)]),
  ...(durationMs === undefined ? [] : [`for ${durationText(durationMs)}`])
]

const named = (site: Site["Service"], { name, url }: Recording): string =>
  html`<span class="name"
    >!${url === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${hrefOf(site, url)}"><bdi>${name}</bdi></a>`}</span
  >`

const item = (
  site: Site["Service"],
  recording: Recording,
  index: number,
  openings: Pick<Openings, "objectsPath" | "viewPath"> | undefined
): string => {
  const { contentType, kind, name, sizeBytes, url } = recording
  const heading =
    openings === undefined
      ? named(site, recording)
      : html`<a class="look" href="${openings.viewPath}?recording=${index}">
          !${thumbnail(recording, `${openings.objectsPath}recordings/${index}`)}
          <span class="name"><bdi>${name}</bdi></span>
        </a>`
  return html`<li>
    !${heading}
    <span class="type">${[kinds[kind], sizeText(sizeBytes), ...when(recording)].join(", ")}</span>
    <span class="type">!${code(contentType)}</span>
    !${openings === undefined || url === undefined ? "" : html`<span class="type">!${asUploaded(hrefOf(site, url), name)}</span>`}
  </li>`
}

/** The recordings of a preview: where they can be opened as cards that lead to what each holds, images and videos to be seen. */
export const recordingSection = (
  site: Site["Service"],
  { recordings }: Pick<PreviewMetadata, "recordings">,
  openings: Pick<Openings, "objectsPath" | "viewPath"> | undefined
): string =>
  html`<section class="card" aria-labelledby="recordings">
    <h2 id="recordings">Recordings <span class="count">${recordings.length}</span></h2>
    !${
      recordings.length === 0
        ? html`<p>Nothing was recorded.</p>`
        : html`<ul class="recordings">
              !${recordings.map((one, index) => item(site, one, index, openings))}
            </ul>
            !${digests(recordings)}`
    }
  </section>`
