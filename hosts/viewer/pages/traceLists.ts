import { html } from "ghtml"
import type { RecordingKind } from "../../../core/model/Preview.ts"
import type { Shown } from "./traceStage.ts"
import { shortText, sizeText } from "./text.ts"

const sources = (recordings: ReadonlyArray<Shown>, kind: RecordingKind): string =>
  recordings
    .filter((recording) => recording.kind === kind)
    .map(
      ({ name, sizeBytes, source }) =>
        html`<a href="${source}"><bdi>${shortText(name, 80)}</bdi></a> <span class="size">${sizeText(sizeBytes)}</span>`
    )
    .join(", ")

const field = (label: string, control: string): string => html`<label><span>${label}</span>!${control}</label>`

/** A list of what happened when. The script of the page reads and shows it; what it is read from can be opened without. */
const list = (
  kind: "events" | "log",
  { none, recordings, title, tools }: {
    readonly title: string
    readonly none: string
    readonly tools: string
    readonly recordings: ReadonlyArray<Shown>
  }
): string => {
  const from = sources(recordings, kind)
  return html`<section class="card happened ${kind}" aria-labelledby="${kind}">
    <div class="head">
      <h2 id="${kind}">${title} <span class="count"></span></h2>
      <p class="from">!${from === "" ? none : from}</p>
    </div>
    !${
      from === ""
        ? ""
        : html`<div class="tools" hidden>!${tools}</div>
            <progress class="loading" aria-label="Reading ${title.toLowerCase()}" hidden></progress>
            <p class="notice" hidden></p>
            <div class="rows" role="listbox" tabindex="0" aria-label="${title}" hidden>
              <div class="all" role="presentation"></div>
            </div>
            <div class="detail" role="group" tabindex="0" aria-label="The line of this moment" hidden></div>`
    }
  </section>`
}

export const eventsSection = (recordings: ReadonlyArray<Shown>): string =>
  list("events", {
    title: "Events",
    none: "None were recorded.",
    tools: `${field("Find", html`<input type="search" class="find" autocomplete="off" spellcheck="false" />`)}
      ${field("Type", html`<select class="type-of"><option value="">Any</option></select>`)}
      ${field("Status", html`<select class="status-of"><option value="">Any</option></select>`)}`,
    recordings
  })

export const logSection = (recordings: ReadonlyArray<Shown>): string =>
  list("log", {
    title: "Log",
    none: "None was recorded.",
    tools: field("Find", html`<input type="search" class="find" autocomplete="off" spellcheck="false" />`),
    recordings
  })
