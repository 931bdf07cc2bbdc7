import { html, type Html } from "../ui/html.ts"
import type { Recording, RecordingKind } from "../../../core/model/Preview.ts"
import { asUploaded, code, digests } from "../ui/facts.ts"
import { durationText, sizeText } from "../ui/text.ts"
import { shownType } from "./contentType.ts"
import { recordingRef } from "./objectRef.ts"
import type { Openings } from "./shownPreview.ts"

const kinds: Record<RecordingKind, string> = {
  video: "Video",
  screenshot: "Screenshot",
  events: "Events",
  log: "Log",
  other: "Other"
}

/** How a recording that can't be shown is labelled: by its name's extension, or its kind. */
const signOf = ({ kind, name }: Recording): string => /\.[a-z\d]{1,5}$/i.exec(name)?.[0] ?? kinds[kind]

/**
 * A thumbnail of a recording; `source` opens it without a session. A video's thumbnail is its frame after one second.
 */
const thumbnail = (recording: Recording, source: string): Html => {
  const type = shownType(recording.contentType, recording.name)
  const [kind] = /^(?:image|video)(?=\/)/i.exec(type.toLowerCase()) ?? []
  const shown =
    kind === "image"
      ? html`<img src="${source}" alt="" loading="lazy" />`
      : kind === "video"
        ? html`<video src="${source}#t=1" muted playsinline preload="metadata"></video>`
        : html`<span>${signOf(recording)}</span>`
  return html`<span class="thumbnail ${kind ?? "other"}" aria-hidden="true">${shown}</span>`
}

const startText = (startedAtMs: number): string =>
  startedAtMs === 0 ? "from the start" : `from ${durationText(startedAtMs)}`

const when = ({ durationMs, startedAtMs }: Recording): ReadonlyArray<string> => [
  ...(startedAtMs === undefined ? [] : [startText(startedAtMs)]),
  ...(durationMs === undefined ? [] : [`for ${durationText(durationMs)}`])
]

const item = (recording: Recording, heading: Html, more?: Html): Html => {
  const { contentType, kind, sizeBytes } = recording
  return html`<li>
    ${heading}
    <span class="type">${[kinds[kind], sizeText(sizeBytes), ...when(recording)].join(", ")}</span>
    <span class="type">${code(contentType)}</span>
    ${more}
  </li>`
}

/** A recording's name, with a link to the uploaded object. */
const named = (recording: Recording, url: string | undefined): Html => {
  const name = html`<bdi>${recording.name}</bdi>`
  return item(
    recording,
    html`<span class="name">${url === undefined ? name : html`<a href="${url}">${name}</a>`}</span>`
  )
}

/** A card for a recording, with a link to the page that shows it. */
const card = (recording: Recording, index: number, { asUploaded: uploaded, load, view }: Openings): Html => {
  const ref = recordingRef(index)
  return item(
    recording,
    html`<a class="look" href="${view(ref)}">
      ${thumbnail(recording, load(ref))}
      <span class="name"><bdi>${recording.name}</bdi></span>
    </a>`,
    html`<span class="type">${asUploaded(uploaded(ref), recording.name)}</span>`
  )
}

const section = (recordings: ReadonlyArray<Recording>, items: ReadonlyArray<Html>): Html =>
  html`<section class="card" aria-labelledby="recordings">
    <h2 id="recordings">Recordings <span class="count">${recordings.length}</span></h2>
    ${
      recordings.length === 0
        ? html`<p>Nothing was recorded.</p>`
        : html`<ul class="recordings">
              ${items}
            </ul>
            ${digests(recordings)}`
    }
  </section>`

/** The recordings of a preview as cards with images and videos. Until the preview is ready, only their names. */
export const recordingCards = (recordings: ReadonlyArray<Recording>, openings: Openings | undefined): Html =>
  section(
    recordings,
    recordings.map((one, index) => (openings === undefined ? named(one, undefined) : card(one, index, openings)))
  )

/** The names of a preview's recordings. */
export const recordingNames = (recordings: ReadonlyArray<Recording>, openings: Openings | undefined): Html =>
  section(
    recordings,
    recordings.map((one, index) => named(one, openings?.asUploaded(recordingRef(index))))
  )
