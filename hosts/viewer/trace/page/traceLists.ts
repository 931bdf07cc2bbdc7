import { html, joinHtml, type Html } from "../../ui/html.ts"
import type { Shown } from "./traceStage.ts"
import { shortText, sizeText } from "../../ui/text.ts"

const sources = (recordings: ReadonlyArray<Shown>): Html =>
  joinHtml(
    recordings.map(
      ({ name, sizeBytes, source }) =>
        html`<a href="${source}"><bdi>${shortText(name, 80)}</bdi></a> <span class="size">${sizeText(sizeBytes)}</span>`
    ),
    ", "
  )

/** A list of what happened when. The script of the page reads and shows it; what it is read from can be opened without. */
const list = (
  kind: "events" | "log",
  title: string,
  tools: Html,
  recordings: ReadonlyArray<Shown>
): Html | undefined => {
  const read = recordings.filter((recording) => recording.kind === kind)
  return read.length === 0
    ? undefined
    : html`<section class="card entries ${kind}" aria-labelledby="${kind}">
        <div class="head">
          <h2 id="${kind}">${title} <span class="count"></span></h2>
          <p class="from">${sources(read)}</p>
          <div class="tools" hidden>${tools}</div>
        </div>
        <progress class="loading" aria-label="Reading ${title.toLowerCase()}" hidden></progress>
        <p class="notice" hidden></p>
        <div class="rows" id="${kind}-rows" role="listbox" tabindex="0" aria-label="${title}" hidden>
          <div class="all" role="presentation"></div>
        </div>
        <div class="detail" role="group" tabindex="0" aria-label="${title}: the line of this moment" hidden></div>
      </section>`
}

const find = (what: string): Html =>
  html`<input
    type="search"
    class="find"
    placeholder="Find"
    aria-label="Find ${what}"
    autocomplete="off"
    spellcheck="false"
  />`

/** The events of a run and its log; nothing, where it has neither. */
export const listSections = (recordings: ReadonlyArray<Shown>): Html | undefined => {
  const ofEvents = html`${find("among the events")}
    <select class="type-of" aria-label="Type">
      <option value="">Any type</option>
    </select>
    <select class="status-of" aria-label="Status">
      <option value="">Any status</option>
    </select>`
  const lists = [
    list("events", "Events", ofEvents, recordings),
    list("log", "Log", find("in the log"), recordings)
  ].filter((one) => one !== undefined)
  return lists.length === 0 ? undefined : html`<div class="lists">${lists}</div>`
}
