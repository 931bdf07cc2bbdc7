import { counted } from "../ui/counted.ts"
import { noLines, withDropped, withLine, type KeptLine, type Lines } from "./lines.ts"
import type { Level, Line } from "./message.ts"
import { make, onceAFrame, part, setText } from "../ui/dom.ts"

/** The most lines that are shown. */
const mostLines = 200

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
    add: (line: Line) => set(withLine(lines, line, mostLines)),
    leaveOut: (count: number) => {
      if (count > 0) set(withDropped(lines, count))
    },
    clear: () => set({ ...noLines, next: lines.next })
  }
}
