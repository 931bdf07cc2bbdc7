/**
 * Reads the pages of the viewer in a strict form of HTML, in which every parser sees the same: a tag is written out,
 * its attributes have double quotes, a text holds no `<`, and a script or style ends at its first end tag.
 */

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
}

interface Read {
  readonly elements: ReadonlyArray<Element>
  /** Deviations from the strict form, which a browser might read differently than intended. */
  readonly loose: ReadonlyArray<string>
}

const tag = /<(?:!doctype html|\/[a-z][a-z\d]*\s*|([a-z][a-z\d]*)((?:\s+[a-z][a-z\d:-]*(?:="[^"]*")?)*)\s*\/?)>/iy
const attribute = /([a-z][a-z\d:-]*)(?:="([^"]*)")?/gi
const rawText = new Set(["script", "style", "title", "textarea"])

const read = (text: string): Read => {
  const elements: Array<Element> = []
  const loose: Array<string> = []
  let at = 0
  for (;;) {
    const open = text.indexOf("<", at)
    if (open < 0) return { elements, loose }
    tag.lastIndex = open
    const [whole, name, attributes = ""] = tag.exec(text) ?? []
    if (whole === undefined) {
      loose.push(`not a tag: ${text.slice(open, open + 200)}`)
      at = open + 1
      continue
    }
    at = open + whole.length
    if (name === undefined) continue
    elements.push({
      name: name.toLowerCase(),
      attributes: Object.fromEntries(
        [...attributes.matchAll(attribute)].map(([, key = "", value = ""]) => [key.toLowerCase(), value])
      )
    })
    if (!rawText.has(name.toLowerCase())) continue
    const closing = new RegExp(`</${name}`, "gi")
    closing.lastIndex = at
    const end = closing.exec(text)?.index ?? text.length
    const inner = text.slice(at, end)
    // A comment in a script could hide the script's end. A title or textarea has no reason to contain a tag.
    if (inner.includes("<!--") || (inner.includes("<") && /^t/i.test(name)))
      loose.push(`in ${name}: ${inner.slice(0, 200)}`)
    if (end === text.length) loose.push(`${name} has no end`)
    at = end
  }
}

/** The elements of a page, in document order. */
const elementsOf = (text: string): ReadonlyArray<Element> => read(text).elements

const leads = ["href", "src", "action", "formaction", "poster", "data"]

/** The origins that a page may link to or load from: its own host and the host of uploaded content. */
const harmless = /^(?:$|[#?]|\/(?![/\\])|\.{0,2}\/|https?:\/\/127\.0\.0\.1[:/]|data:image\/svg\+xml,)/i

/** Parts of a page that a browser could run, or could read differently than intended. */
export const looseEnds = (text: string): ReadonlyArray<string> => {
  const { elements, loose } = read(text)
  return [
    ...loose,
    ...elements.flatMap(({ attributes, name }) => [
      ...Object.keys(attributes)
        .filter((key) => key.startsWith("on") || key === "srcdoc" || key === "style")
        .map((key) => `<${name} ${key}>`),
      ...leads
        .filter((key) => key in attributes && !harmless.test(attributes[key] ?? ""))
        .map((key) => `<${name} ${key}="${attributes[key]}">`),
      ...(name === "script" && attributes["src"] === undefined && attributes["type"] !== "application/json"
        ? ["a script in the page"]
        : []),
      ...(["base", "object", "embed", "frame"].includes(name) ? [`<${name}>`] : [])
    ])
  ]
}

/** The tags of a page with their attributes' names: equal for two pages that differ only in texts. */
export const skeleton = (text: string): ReadonlyArray<string> =>
  elementsOf(text).map(({ attributes, name }) => `<${[name, ...Object.keys(attributes)].join(" ")}>`)
