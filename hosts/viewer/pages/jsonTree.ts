import { html } from "ghtml"

/** How many values a tree has at most, and how deep they lie; what is more is shown as text. */
const most = { values: 5000, depth: 40 }

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

const nodeOf = (value: unknown, name: string | undefined, depth: number): string => {
  if (typeof value !== "object" || value === null) return html`!${named(name)}!${scalar(value)}`
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ["[", "]"] : ["{", "}"]
  if (entries.length === 0) return html`!${named(name)}${open}${close}`
  const items = entries.map(([key, one]) => html`<li>!${nodeOf(one, isList ? undefined : key, depth + 1)}</li>`)
  return html`<details ${depth < 2 ? "open" : ""}>
    <summary>!${named(name)}${open}<span class="size">${entries.length}</span>${close}</summary>
    <ul>
      !${items}
    </ul>
  </details>`
}

/** JSON as a tree whose parts fold, without a script; `undefined` for what is no JSON, or too much of it. */
export const jsonTree = (text: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && countOf(value) <= most.values
      ? html`<div class="json">!${nodeOf(value, undefined, 0)}</div>`
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
