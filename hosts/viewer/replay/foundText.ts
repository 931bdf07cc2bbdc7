import { make, part, setText } from "../ui/dom.ts"
import type { Missing } from "./message.ts"

/** The most that is listed of what isn't there: an app could name things without end. */
const most = 100

/** What was found out about a bundle, above it: what it is, and what it asked for that isn't there. */
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
