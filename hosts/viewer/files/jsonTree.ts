import { html, rawHtml, type Html } from "../ui/html.ts"
import { jsonBeginning } from "./jsonBeginning.ts"

/** The most values in a tree, and their greatest depth. */
const most = { values: 5000, depth: 40 }

const startItem = rawHtml("<li>")
const endItem = rawHtml("</li>")
const endList = rawHtml("</ul></details>")

/** A tree with at most this many values is fully unfolded; a larger one shows two levels. */
const fewValues = 200

const scalar = (value: unknown): Html =>
  html`<span class="${value === null ? "null" : typeof value}">${JSON.stringify(value)}</span>`

const named = (name: string | undefined): Html | undefined =>
  name === undefined ? undefined : html`<span class="key"><bdi>${name}</bdi>:</span> `

/** The markup of a value in pieces, unfolded down to `open` levels. */
function* nodeOf(value: unknown, name: string | undefined, open: number): Generator<Html> {
  if (typeof value !== "object" || value === null) {
    yield html`${named(name)}${scalar(value)}`
    return
  }
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  const [before, after] = isList ? ["[", "]"] : ["{", "}"]
  if (entries.length === 0) {
    yield html`${named(name)}${before}${after}`
    return
  }
  const summary = html`<summary>${named(name)}${before}<span class="size">${entries.length}</span>${after}</summary>`
  yield rawHtml(`<details${open > 0 ? " open" : ""}>${summary}<ul>`)
  for (const [key, one] of entries) {
    yield startItem
    yield* nodeOf(one, isList ? undefined : key, open - 1)
    yield endItem
  }
  yield endList
}

/** JSON as a foldable tree that needs no script; `undefined` if the value isn't a list or object. */
export const jsonTree = (text: string): Html | undefined => {
  const begun = jsonBeginning(text, most)
  if (begun === undefined) return undefined
  const { count, isWhole, value } = begun
  if (typeof value !== "object" || value === null) return undefined
  const open = count <= fewValues ? most.depth : 2
  const cut = isWhole ? "" : html`<p class="notice">Only a part is shown: there are more values, or deeper ones.</p>`
  return html`${cut}
    <div class="json">${[...nodeOf(value, undefined, open)]}</div>`
}
