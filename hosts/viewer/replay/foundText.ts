import { make, part, setText } from "../ui/dom.ts"
import type { Missing } from "./message.ts"
import type { Tabs } from "./tabs.ts"

/** The most missing features that are listed, because an app could name any number. */
const most = 100

/** Findings about a bundle, shown beside it: its kind, and the features it needs that are missing. */
export const makeFoundText = (section: HTMLElement, tabs: Tabs) => {
  const text = part(section, ".found", HTMLElement)
  const panel = part(section, ".panel.missing", HTMLElement)
  const list = part(panel, "ul", HTMLElement)
  const none = part(panel, ".none", HTMLElement)
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
      none.hidden = true
      tabs.count("missing", known.size)
    },
    clear: (): void => {
      text.hidden = true
      none.hidden = false
      known.clear()
      list.replaceChildren()
      tabs.count("missing", 0)
    }
  }
}
