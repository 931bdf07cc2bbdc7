import { part, parts, setText } from "../ui/dom.ts"

export type Tabs = ReturnType<typeof makeTabs>

/** The tabs beside the device, of which one is open. `opened` receives the name of each that is. */
export const makeTabs = (section: HTMLElement, opened: (name: string) => void) => {
  const panels = part(section, ".panels", HTMLElement)
  const tabs = parts(panels, "[role=tab]", HTMLButtonElement)

  const open = (chosen: HTMLButtonElement): void => {
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === chosen)
      tab.tabIndex = tab === chosen ? 0 : -1
      part(panels, `#${tab.getAttribute("aria-controls")}`, HTMLElement).hidden = tab !== chosen
    }
    opened(chosen.id.slice("tab-".length))
  }

  const steps: Readonly<Record<string, (at: number) => number>> = {
    ArrowLeft: (at) => at - 1,
    ArrowRight: (at) => (at + 1) % tabs.length,
    Home: () => 0,
    End: () => -1
  }
  for (const [at, tab] of tabs.entries()) {
    tab.addEventListener("click", () => open(tab))
    tab.addEventListener("keydown", (event) => {
      const next = tabs.at(steps[event.key]?.(at) ?? at)
      if (next === undefined || next === tab) return
      event.preventDefault()
      open(next)
      next.focus()
    })
  }
  panels.hidden = false

  return {
    open: (name: string): void => open(part(panels, `#tab-${name}`, HTMLButtonElement)),
    /** Shows on a tab how much there is in it. */
    count: (name: string, number: number): void =>
      setText(part(panels, `#tab-${name} .count`, HTMLElement), number === 0 ? "" : String(number))
  }
}
