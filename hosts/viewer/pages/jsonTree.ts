import { html } from "ghtml"

/** How many values a tree has at most, and how deep they lie; what is more is shown as text. */
const most = { values: 5000, depth: 40 }

/** So few values are all shown at once; of more, the first two levels. */
const fewValues = 200

/** How many values there are in one, itself among them; no more are counted than a tree may have. */
const countOf = (value: unknown, depth = 0): number => {
  if (depth > most.depth) return most.values + 1
  if (typeof value !== "object" || value === null) return 1
  let count = 1
  for (const one of Object.values(value)) {
    count += countOf(one, depth + 1)
    if (count > most.values) return count
  }
  return count
}

const scalar = (value: unknown): string =>
  html`<span class="${value === null ? "null" : typeof value}">${JSON.stringify(value)}</span>`

const named = (name: string | undefined): string =>
  name === undefined ? "" : html`<span class="key"><bdi>${name}</bdi>:</span> `

/** A value, its parts unfolded as far as `open` levels down. */
const nodeOf = (value: unknown, name: string | undefined, open: number): string => {
  if (typeof value !== "object" || value === null) return html`!${named(name)}!${scalar(value)}`
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  const [before, after] = isList ? ["[", "]"] : ["{", "}"]
  if (entries.length === 0) return html`!${named(name)}${before}${after}`
  const items = entries.map(([key, one]) => html`<li>!${nodeOf(one, isList ? undefined : key, open - 1)}</li>`)
  return html`<details ${open > 0 ? "open" : ""}>
    <summary>!${named(name)}${before}<span class="size">${entries.length}</span>${after}</summary>
    <ul>
      !${items}
    </ul>
  </details>`
}

/** JSON as a tree whose parts fold, without a script; `undefined` for what is no JSON, or too much of it. */
export const jsonTree = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const count = countOf(value)
    const open = count <= fewValues ? most.depth : 2
    return typeof value === "object" && value !== null && count <= most.values
      ? html`<div class="json">!${nodeOf(value, undefined, open)}</div>`
      : undefined
  } catch {
    return undefined
  }
}

/** JSON in lines that one can read; the text itself where it is no JSON. */
export const jsonLines = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value, null, 2)
  } catch {
    return text
  }
}
