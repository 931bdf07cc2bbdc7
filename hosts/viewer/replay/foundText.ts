import { make, part, setText } from "../ui/dom.ts"
import type { Missing } from "./message.ts"

/** The most missing features that are listed, because an app could name any number. */
const most = 100

/** Findings about a bundle, shown above it: its kind, and the features it needs that are missing. */
export const makeFoundText = (section: HTMLElement) => {
  const text = part(section, ".found", HTMLElement)
  const details = part(section, ".missing", HTMLElement)
  const list = part(details, "ul", HTMLElement)
  const known = new Set<string>()

  return {
    found: (what: string): void => {
      text.hidden = what === ""
      setText(text, what)
    },
    missing: ({ name, what }: Missing): void => {
      const line = `${what} ${name}`
      if (known.has(line) || known.size >= most) return
      known.add(line)
      const item = make("li", "", `${what} `)
      item.append(make("code", "", name))
      list.append(item)
      details.hidden = false
    },
    clear: (): void => {
      text.hidden = true
      details.hidden = true
      known.clear()
      list.replaceChildren()
    }
  }
}
