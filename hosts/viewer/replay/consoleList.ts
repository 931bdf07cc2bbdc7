/** The tabs beside a device: the console of the app, and what was found about its bundle. */
import { make, onceAFrame, part, parts, setText } from "../ui/dom.ts"
import { counted } from "../ui/words.ts"
import type { Level, Line, Missing } from "./message.ts"

/** The most lines that are shown. */
const maxLines = 200

const names: Record<Level, string> = { debug: "Debug", log: "Log", info: "Info", warn: "Warning", error: "Error" }

const timesText = (times: number): string => (times === 1 ? "" : `×${times.toLocaleString("en")}`)

const itemOf = ({ level, times }: KeptLine, text: string): HTMLLIElement => {
  const item = make("li", level)
  const isMarked = level === "error" || level === "warn"
  item.append(
    make("span", isMarked ? "level" : "unseen", names[level]),
    make("pre", "", text),
    make("span", "times", timesText(times))
  )
  return item
}

/** Shows an app's console beside it: only the last lines, drawn at most once a frame, as `named` has their texts. */
export const makeConsoleList = (section: HTMLElement, named: (text: string) => string) => {
  const panel = part(section, ".panel.console", HTMLElement)
  const list = part(panel, "ol", HTMLElement)
  const none = part(panel, ".none", HTMLElement)
  const dropped = part(panel, ".dropped", HTMLElement)
  const errors = part(panel, ".errors", HTMLElement)
  const items = new Map<number, HTMLLIElement>()
  let lines: Lines = noLines

  const draw = onceAFrame(() => {
    const wasAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 4
    const first = lines.kept[0]?.id ?? lines.next
    for (const [id, item] of items) {
      if (id >= first) break
      item.remove()
      items.delete(id)
    }
    const added: Array<HTMLLIElement> = []
    for (const line of lines.kept) {
      const item = items.get(line.id)
      if (item !== undefined) setText(part(item, ".times", HTMLElement), timesText(line.times))
      else {
        const next = itemOf(line, named(line.text))
        items.set(line.id, next)
        added.push(next)
      }
    }
    list.append(...added)
    none.hidden = lines.kept.length > 0
    list.hidden = lines.kept.length === 0
    dropped.hidden = lines.dropped === 0
    setText(dropped, `${counted(lines.dropped, "more line was", "more lines were")} left out.`)
    setText(errors, lines.errors === 0 ? "" : counted(lines.errors, "error"))
    if (wasAtEnd) list.scrollTop = list.scrollHeight
  })

  const set = (next: Lines): void => {
    lines = next
    draw()
  }

  return {
    /** The texts of the lines have changed. */
    renamed: () => {
      for (const { id, text } of lines.kept) {
        const item = items.get(id)
        if (item !== undefined) setText(part(item, "pre", HTMLElement), named(text))
      }
    },
    add: (line: Line) => set(withLine(lines, line, maxLines)),
    leaveOut: (count: number) => {
      if (count > 0) set(withDropped(lines, count))
    },
    clear: () => set({ ...noLines, next: lines.next })
  }
}

/** A line, and how often it was repeated in a row. */
interface KeptLine extends Line {
  readonly id: number
  readonly times: number
}

/** The last lines of a console. */
interface Lines {
  readonly kept: ReadonlyArray<KeptLine>
  /** How many lines were dropped: old ones, and ones beyond the limit. */
  readonly dropped: number
  readonly errors: number
  readonly next: number
}

export const noLines: Lines = { kept: [], dropped: 0, errors: 0, next: 0 }

/** Appends a line: the last `most` are kept, and a repeated line is counted. */
export const withLine = ({ errors, dropped, kept, next }: Lines, line: Line, most: number): Lines => {
  const now = line.level === "error" ? errors + 1 : errors
  const last = kept.at(-1)
  if (last !== undefined && last.level === line.level && last.text === line.text) {
    return { kept: [...kept.slice(0, -1), { ...last, times: last.times + 1 }], dropped, errors: now, next }
  }
  const all = [...kept, { ...line, id: next, times: 1 }]
  const tooMany = Math.max(0, all.length - most)
  return { kept: all.slice(tooMany), dropped: dropped + tooMany, errors: now, next: next + 1 }
}

/** Adds to the number of dropped lines. */
export const withDropped = (lines: Lines, count: number): Lines => ({ ...lines, dropped: lines.dropped + count })

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
      if (what === "font") item.append(": upload its file with ", make("code", "", "slipway-ci upload --fonts FOLDER"))
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

type Tabs = ReturnType<typeof makeTabs>

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
