import { html, type Html } from "../../ui/html.ts"
import type { Recording } from "../../../../core/model/Preview.ts"
import { clockText } from "../clockText.ts"
import { shortText } from "../../ui/text.ts"

/** A recording, with the URL that opens it without a session. */
export interface Shown extends Recording {
  readonly source: string
}

const shownName = 80

const player = ({ name, source }: Shown, index: number): Html =>
  html`<figure class="player" data-recording="${index}">
    <video src="${source}" aria-label="${shortText(name, shownName)}" controls playsinline preload="metadata"></video>
    <figcaption><bdi>${shortText(name, shownName)}</bdi><span class="state"></span></figcaption>
  </figure>`

const picture = ({ name, source, startedAtMs }: Shown, index: number): Html =>
  html`<li>
    <a href="${source}" data-recording="${index}">
      <img src="${source}" alt="" loading="lazy" />
      <span class="what"><bdi>${shortText(name, shownName)}</bdi></span>
      <span class="type">${startedAtMs === undefined ? "No time" : clockText(startedAtMs)}</span>
    </a>
  </li>`

/** The choice between the video and the screenshots, for the script of the page. */
export const viewButtons = html`<div class="views" role="group" aria-label="Shown" hidden>
  <button type="button" class="quiet" data-view="video" aria-pressed="false">Video</button>
  <button type="button" class="quiet" data-view="shot" aria-pressed="false">Screenshot</button>
</div>`

/**
 * The pictures of a run: its videos, and its screenshots in order of time. The script of the
 * page shows the video or the screenshot of the moment. Nothing, where there is neither. Without `hasViews`, the choice
 * between them is elsewhere on the page.
 */
export const stage = (recordings: ReadonlyArray<Shown>, { hasViews = true } = {}): Html | undefined => {
  const all = recordings.map((recording, index) => ({ recording, index }))
  const videos = all.filter(({ recording }) => recording.kind === "video" && /^video\//i.test(recording.contentType))
  const pictures = all
    .filter(({ recording }) => /^image\//i.test(recording.contentType))
    .toSorted((one, other) => (one.recording.startedAtMs ?? Infinity) - (other.recording.startedAtMs ?? Infinity))
  if (videos.length + pictures.length === 0) return undefined
  return html`${hasViews && videos.length > 0 && pictures.length > 0 ? viewButtons : ""}
    <div class="screens">
      ${videos.map(({ index, recording }) => player(recording, index))}
      <figure class="shot" hidden>
        <div class="pictures"></div>
        <figcaption></figcaption>
      </figure>
    </div>
    ${
      pictures.length === 0
        ? ""
        : html`<ul class="strip" aria-label="Screenshots">
            ${pictures.map(({ index, recording }) => picture(recording, index))}
          </ul>`
    }`
}
