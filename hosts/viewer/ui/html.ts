import { html as tag, type SafeHtml } from "@remix-run/html-template"

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
