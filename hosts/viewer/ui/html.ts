import { html as tag, type SafeHtml } from "@remix-run/html-template"
import { DateTime } from "effect"
import { bytesText as sizeText } from "../../../core/rules/amounts.ts"

export { bytesText as sizeText, durationText } from "../../../core/rules/amounts.ts"
export { shortText } from "./words.ts"

/** Markup, as {@link html} returns it. A string is none: it is not assignable to this type. */
export type Html = SafeHtml

/** The values that a template can hold. A boolean is none of them, as the library would insert its name. */
type Part = Html | string | number | null | undefined | ReadonlyArray<Part>

/**
 * The tag of templates. Markup is inserted as it is, and a list without separators; strings and numbers are escaped for
 * text and for attributes in quotes; `undefined` and `null` insert nothing. It does not check URLs.
 */
export const html = tag as (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>) => Html

/** Text as markup, unescaped: only for text of our own, or text that is already escaped. */
export const rawHtml = (text: string): Html => tag.raw`${text}`

/** Markup with a separator between its parts. */
export const joinHtml = (parts: ReadonlyArray<Html>, separator: string): Html =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`

/** A size with its exact number of bytes. */
export const exactSizeText = (bytes: number): string =>
  bytes < 1024 ? sizeText(bytes) : `${sizeText(bytes)} (${bytes.toLocaleString("en-GB")} bytes)`

/** A time as an element, to the minute in UTC. */
export const timeHtml = (time: DateTime.Utc): Html => {
  const iso = DateTime.formatIso(time)
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
