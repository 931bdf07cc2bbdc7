import { html, type SafeHtml } from "@remix-run/html-template"
import { oneLine, visible } from "../visible.ts"

/** A text of the target within a line. Its direction of writing doesn't affect the text beside it. */
export const textHtml = (text: string): SafeHtml => html`<bdi>${oneLine(text)}</bdi>`

/** The same as code. */
export const code = (text: string): SafeHtml => html`<code><bdi>${oneLine(text)}</bdi></code>`

/** A sentence of the suite, with code between backticks. */
export const prose = (text: string): SafeHtml =>
  html`${oneLine(text)
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`

/** Marks each replaced secret, so that a reader sees which ones are equal. */
const marked = (text: string): SafeHtml =>
  html`${text.split(/(‹redacted \d+›)/).map((part, index) => (index % 2 === 0 ? part : html`<mark>${part}</mark>`))}`

/** Lines of code. */
export const block = (text: string): SafeHtml => html`<pre><code>${marked(visible(text))}</code></pre>`

/** A text as one line of code, with its redacted parts marked. */
export const markedCode = (text: string): SafeHtml => html`<code><bdi>${marked(oneLine(text))}</bdi></code>`

/** Where on the page a check is. */
export const anchorOf = (checkId: string): string => `check.${checkId}`

/** A named fact. */
export type Fact = readonly [name: string, value: SafeHtml | string]

/** Facts as a list of definitions. */
export const facts = (all: ReadonlyArray<Fact>): SafeHtml =>
  html`<dl class="facts">
    ${all.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`
    )}
  </dl>`

const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

/** A time to the minute in UTC. A text that isn't a time is shown unchanged. */
export const timeHtml = (iso: string): SafeHtml => {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? textHtml(iso) : html`<time datetime="${oneLine(iso)}">${format.format(time)} UTC</time>`
}

/** Markup with a separator between its parts. */
export const joined = (parts: ReadonlyArray<SafeHtml>, separator: SafeHtml | string): SafeHtml =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`
