import { html } from "ghtml"
import { oneLine, visible } from "../visible.ts"

/** A text of the target within a line. Its direction of writing doesn't affect the text beside it. */
export const textHtml = (text: string): string => html`<bdi>${oneLine(text)}</bdi>`

/** The same as code. */
export const code = (text: string): string => html`<code><bdi>${oneLine(text)}</bdi></code>`

/** A sentence of the suite, with code between backticks. */
export const prose = (text: string): string =>
  html`${oneLine(text)}`.replaceAll(/`([^`]+)`/g, (_, said: string) => `<code>${said}</code>`)

/** Marks each replaced secret, so that a reader sees which ones are equal. */
const marked = (escaped: string): string => escaped.replaceAll(/‹redacted \d+›/g, (mark) => `<mark>${mark}</mark>`)

/** Lines of code. */
export const block = (text: string): string => html`<pre><code>!${marked(html`${visible(text)}`)}</code></pre>`

/** A text as one line of code, with its redacted parts marked. */
export const markedCode = (text: string): string => html`<code><bdi>!${marked(html`${oneLine(text)}`)}</bdi></code>`

/** Where on the page a check is. */
export const anchorOf = (checkId: string): string => `check.${checkId}`

/** A named fact. Its value is HTML. */
export type Fact = readonly [name: string, value: string]

/** Facts as a list of definitions. */
export const facts = (all: ReadonlyArray<Fact>): string =>
  html`<dl class="facts">
    !${all.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>!${value}</dd>
        </div>`
    )}
  </dl>`

const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

/** A time to the minute in UTC. A text that isn't a time is shown unchanged. */
export const timeHtml = (iso: string): string => {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? textHtml(iso) : html`<time datetime="${oneLine(iso)}">${format.format(time)} UTC</time>`
}
