/** The tab with what the app stores. While it is open, it asks for it again with every sign of life. */
import { part } from "../../ui/dom.ts"
import type { Inspected, InspectorRequest } from "./inspectorMessages.ts"
import { sectionOf } from "./sections.ts"

export const makeStorageTab = (section: HTMLElement, request: (request: InspectorRequest) => void) => {
  const panel = part(section, ".panel.storage", HTMLElement)
  const none = part(panel, ".none", HTMLElement)
  const list = part(panel, ".stores", HTMLElement)
  let last = ""

  const look = (): void => {
    if (!panel.hidden) request({ ask: "stores" })
  }

  return {
    onInspected: ({ of, sections }: Inspected): void => {
      if (of !== "stores" || panel.hidden) return
      const now = JSON.stringify(sections)
      // What is selected or folded stays so until something changes.
      if (now === last) return
      last = now
      list.replaceChildren(...sections.map(sectionOf))
      none.hidden = sections.length > 0
    },
    onPulse: look,
    opened: look,
    clear: (): void => {
      last = ""
      list.replaceChildren()
      none.hidden = false
    }
  }
}
