/** The tab with the requests of the app. While it is open, it asks for them again with every sign of life. */
import { make, part, setText } from "../../ui/dom.ts"
import type { Inspected, InspectorRequest } from "./inspectorMessages.ts"
import { sectionOf } from "./sections.ts"

export const makeNetworkTab = (section: HTMLElement, request: (request: InspectorRequest) => void) => {
  const panel = part(section, ".panel.network", HTMLElement)
  const save = part(panel, "button", HTMLButtonElement)
  const list = part(panel, "ul", HTMLElement)
  const none = part(panel, ".none", HTMLElement)
  const dropped = part(panel, ".dropped", HTMLElement)
  const shown = new Map<
    number,
    { readonly item: HTMLElement; readonly state: HTMLElement; readonly about: HTMLElement }
  >()
  let isSaving = false

  const add = (id: number, name: string) => {
    const item = make("li")
    const [details, summary, about] = [make("details"), make("summary"), make("div")]
    const state = make("span", "detail")
    summary.append(make("code", "", name), state)
    details.append(summary, about)
    details.addEventListener("toggle", () => {
      if (details.open) request({ ask: "exchange", id })
    })
    item.append(details)
    list.append(item)
    const made = { item, state, about }
    shown.set(id, made)
    return made
  }

  const onInspected = ({ id, items, left, of, sections, text }: Inspected): void => {
    if (panel.hidden) return
    if (of === "exchanges") {
      const ids = new Set(items.map((item) => item.id))
      for (const [old, { item }] of shown) {
        if (ids.has(old)) continue
        item.remove()
        shown.delete(old)
      }
      for (const item of items) setText((shown.get(item.id) ?? add(item.id, item.name)).state, item.detail)
      none.hidden = items.length > 0
      save.disabled = items.length === 0
      dropped.hidden = left === 0
      setText(dropped, `${left.toLocaleString("en")} earlier requests are no longer there.`)
    } else if (of === "exchange") {
      shown.get(id)?.about.replaceChildren(...sections.map(sectionOf))
    } else if (of === "archive" && isSaving) {
      isSaving = false
      const link = make("a")
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
      link.download = "replay.har"
      link.click()
      URL.revokeObjectURL(link.href)
    }
  }

  save.addEventListener("click", () => {
    isSaving = true
    request({ ask: "archive" })
  })

  const look = (): void => {
    if (!panel.hidden) request({ ask: "exchanges" })
  }

  return {
    onInspected,
    onPulse: look,
    opened: look,
    clear: (): void => {
      shown.clear()
      list.replaceChildren()
      none.hidden = false
      dropped.hidden = true
      save.disabled = true
      isSaving = false
    }
  }
}
