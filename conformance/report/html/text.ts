import { html } from "ghtml"
import { oneLine, visible } from "../visible.ts"

/** Anyone's text in a line, kept from turning around what stands beside it. */
export const told = (text: string): string => html`<bdi>${oneLine(text)}</bdi>`

/** The same as code. */
export const code = (text: string): string => html`<code><bdi>${oneLine(text)}</bdi></code>`

/** A sentence in which code stands between backticks, as the suite writes them. */
export const prose = (text: string): string =>
  html`${oneLine(text)}`.replaceAll(/`([^`]+)`/g, (_, said: string) => `<code>${said}</code>`)

/** What stands for a secret is shown as a thing of its own, so that equal ones are seen to be equal. */
const marked = (escaped: string): string => escaped.replaceAll(/‹redacted \d+›/g, (mark) => `<mark>${mark}</mark>`)

/** Lines of code. */
export const block = (text: string): string => html`<pre><code>!${marked(html`${visible(text)}`)}</code></pre>`

/** A line of code that isn't too long to be one, with its redacted parts marked. */
export const markedCode = (text: string): string => html`<code><bdi>!${marked(html`${oneLine(text)}`)}</bdi></code>`

/** Where on the page a check is. */
export const anchorOf = (checkId: string): string => `check.${checkId}`

/** Something known by name, its value as HTML. */
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

/** A time to the minute in UTC; what is no time is shown as it is. */
export const timeHtml = (iso: string): string => {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? told(iso) : html`<time datetime="${oneLine(iso)}">${format.format(time)} UTC</time>`
}
