/** The lists of events and of log lines: filtered, searched, and on the clock of the page. */
import { inflated } from "../../content/inflated.ts"
import { beginning, make, onceAFrame, part, setText } from "../../ui/dom.ts"
import {
  eventBatches,
  hasWords,
  lineBatches,
  type LogLine,
  logReader,
  searchedText,
  withoutTime,
  wordsOf
} from "../lines.ts"
import { clockText, markOf, type TraceEvent } from "../steps.ts"
import type { RecordingData } from "../traceData.ts"
import type { Clock, Move } from "./clock.ts"
import { download, reasonOf, slices } from "./download.ts"
import { failureText } from "./stepList.ts"

/** The most entries that are stored: browsers can't draw a much longer list. */
const most = 500_000

/** Something with a time on the clock of the page. */
interface Timed {
  readonly t: number
}

/** One kind of entries: how they are read, searched and shown. */
interface Kind<A extends Timed> {
  readonly noun: string
  readonly read: (
    recording: RecordingData,
    stream: ReadableStream<Uint8Array<ArrayBuffer>>
  ) => AsyncIterable<ReadonlyArray<A>>
  /** The condition that people filter by at the moment. */
  readonly filter: () => (one: A) => boolean
  /** Draws an entry in a line of the list. */
  readonly draw: (line: HTMLElement, one: A) => void
  /** The details of an entry, shown below the list. */
  readonly detail: (one: A) => ReadonlyArray<Node>
  /** Chooses the current entry among those up to a moment, if it isn't the last one. */
  readonly isMeant?: (one: A) => boolean
}

/** A list of entries on the clock of a page. */
interface EntryList<A extends Timed> {
  /** Filters again, because the condition has changed. */
  readonly filter: () => void
  /** Every entry that could be read, ordered by time. */
  readonly all: Promise<ReadonlyArray<A>>
}

const inOrder = (all: ReadonlyArray<Timed>): boolean =>
  all.every(({ t }, index) => index === 0 || (all[index - 1]?.t ?? 0) <= t)

/** Reads entries from recordings into the list of a section. People can use the list meanwhile. */
const showEntries = <A extends Timed>(
  section: HTMLElement,
  recordings: ReadonlyArray<RecordingData>,
  { clock, say }: { readonly clock: Clock; readonly say: (text: string) => void },
  kind: Kind<A>
): EntryList<A> => {
  const rows = part(section, ".rows", HTMLElement)
  const count = part(section, ".count", HTMLElement)
  const detail = part(section, ".detail", HTMLElement)
  const progress = part(section, "progress", HTMLProgressElement)
  const problem = part(section, ".notice", HTMLElement)
  for (const hidden of [rows, detail, progress, part(section, ".tools", HTMLElement)]) hidden.hidden = false
  part(section, ".from", HTMLElement).hidden = true

  const all: Array<A> = []
  let shown: Array<number> = []
  let looked = 0
  let fits = kind.filter()
  let [isLooking, isOther, isRead] = [false, false, false]

  const at = (index: number): A | undefined => all[shown[index] ?? -1]
  const list = makeTimeList(rows, part(rows, ".all", HTMLElement), {
    count: () => shown.length,
    timeOf: (index) => at(index)?.t ?? 0,
    isMeant: (index) => {
      const one = at(index)
      return one !== undefined && kind.isMeant?.(one) === true
    },
    draw: (line, index) => {
      const one = at(index)
      if (one !== undefined) kind.draw(line, one)
      found()
    },
    pick: (index) => {
      clock.pause()
      clock.seek(at(index)?.t ?? 0)
    },
    current: (index) => {
      const one = index === undefined ? undefined : at(index)
      detail.replaceChildren(...(one === undefined ? [] : kind.detail(one)))
      detail.scrollTop = 0
    }
  })
  clock.onMove(({ t }, move) => list.show(t, move))
  part(section, ".find", HTMLInputElement).addEventListener("keydown", ({ isComposing, key }) => {
    if (key === "Enter" && !isComposing) list.next()
  })

  const counted = (): string => {
    const [some, whole] = [shown.length, all.length].map((one) => one.toLocaleString("en-GB"))
    return shown.length === all.length ? `${whole}` : `${some} of ${whole}`
  }
  const found = markFound(rows, part(section, ".find", HTMLInputElement))
  const refresh = onceAFrame(() => {
    setText(count, isRead || all.length > 0 ? counted() : "")
    if (isOther) list.replace()
    else list.grow()
    isOther = false
  })

  /** Filters the entries that have not been filtered yet. */
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    const breathe = slices()
    while (looked < all.length) {
      const one = all[looked]
      if (one !== undefined && fits(one)) shown.push(looked)
      looked += 1
      if (looked % 64 !== 0) continue
      refresh()
      await breathe()
    }
    isLooking = false
    refresh()
    if (isRead) say(`${counted()} ${kind.noun}`)
  }

  const lookAnew = (): void => {
    ;[shown, looked, isOther, fits] = [[], 0, true, kind.filter()]
    void look()
  }

  const readOne = async (recording: RecordingData, onBytes: (bytes: number) => void): Promise<void> => {
    const breathe = slices()
    for await (const batch of kind.read(recording, await download(recording.url, onBytes))) {
      const room = most - all.length
      const kept = batch.slice(0, room)
      all.push(...kept)
      clock.lengthen(kept.at(-1)?.t ?? 0)
      void look()
      await breathe()
      if (batch.length > room) throw new RangeError(`Only the first ${most.toLocaleString("en-GB")} are shown.`)
    }
  }

  const readAll = async (): Promise<ReadonlyArray<A>> => {
    const total = recordings.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    let before = 0
    for (const recording of recordings) {
      try {
        await readOne(recording, (bytes) => {
          progress.max = total
          progress.value = before + bytes
        })
      } catch (error) {
        problem.hidden = false
        const why = error instanceof RangeError ? error.message : reasonOf(error)
        problem.append(make("bdi", "", recording.name), `: ${why} `)
        say(`${recording.name}: ${why}`)
      }
      before += recording.sizeBytes
    }
    progress.hidden = true
    isRead = true
    if (inOrder(all)) void look()
    else {
      all.sort((one, other) => one.t - other.t)
      lookAnew()
    }
    return all
  }

  return { filter: lookAnew, all: readAll() }
}

/** How high each line is, in CSS pixels: the stylesheet says the same. */
const lineHeight = 28

/** How many lines are drawn above and below those to be seen, so that scrolling shows no gap. */
const spare = 8

/** How many lines up to a moment are searched for the current one. */
const mostMeant = 1000

/** The lines of a list, ordered by time. */
interface Lines {
  readonly count: () => number
  readonly timeOf: (index: number) => number
  /** Whether a line is to be the current one, although later lines up to the moment exist. */
  readonly isMeant: (index: number) => boolean
  /** Writes a line into an element that may have had another one. */
  readonly draw: (element: HTMLElement, index: number) => void
  /** A person selected a line. */
  readonly pick: (index: number) => void
  /** The current line has changed, or there is none any more. */
  readonly current: (index: number | undefined) => void
}

interface TimeList {
  /** Lines were appended. */
  readonly grow: () => void
  /** All lines were replaced. */
  readonly replace: () => void
  /** Selects the next line, and after the last one the first. */
  readonly next: () => void
  /** Marks the last line up to a moment, and scrolls to it; as time passes, only until a person scrolls elsewhere. */
  readonly show: (t: number, move: Move) => void
}

/** A list that draws only its visible lines, however long it is. One line is the current one. */
const makeTimeList = (scroller: HTMLElement, all: HTMLElement, lines: Lines): TimeList => {
  const drawn = new Map<number, HTMLElement>()
  let fresh = new Set<number>()
  let current: number | undefined
  let picked: number | undefined
  let moment = 0
  let isFollowing = true

  const mark = (element: HTMLElement, index: number): void => {
    if (index === current) element.setAttribute("aria-current", "true")
    else element.removeAttribute("aria-current")
    element.setAttribute("aria-selected", String(index === current))
  }

  /** The element of a line; a new line gets the element of one that is out of view. */
  const elementFor = (index: number, free: Array<number>): HTMLElement => {
    const old = drawn.has(index) ? index : free.pop()
    const element = old === undefined ? undefined : drawn.get(old)
    if (old !== undefined && element !== undefined) {
      drawn.delete(old)
      fresh.delete(old)
      drawn.set(index, element)
      return element
    }
    const made = make("div")
    made.setAttribute("role", "option")
    all.append(made)
    drawn.set(index, made)
    return made
  }

  /** Marks the current line for screen readers, if it is drawn. */
  const nameCurrent = (): void => {
    const isDrawn = current !== undefined && drawn.has(current)
    if (isDrawn) scroller.setAttribute("aria-activedescendant", `${scroller.id}-${current}`)
    else scroller.removeAttribute("aria-activedescendant")
  }

  const render = (): void => {
    const { clientHeight, scrollTop } = scroller
    const first = Math.max(0, Math.floor(scrollTop / lineHeight) - spare)
    const end = Math.min(lines.count(), Math.ceil((scrollTop + clientHeight) / lineHeight) + spare)
    const free = [...drawn.keys()].filter((index) => index < first || index >= end)
    for (let index = first; index < end; index += 1) {
      if (fresh.has(index)) continue
      const element = elementFor(index, free)
      element.id = `${scroller.id}-${index}`
      element.style.transform = `translateY(${index * lineHeight}px)`
      element.setAttribute("aria-posinset", String(index + 1))
      lines.draw(element, index)
      mark(element, index)
      fresh.add(index)
    }
    for (const index of free) {
      drawn.get(index)?.remove()
      drawn.delete(index)
      fresh.delete(index)
    }
    for (const element of drawn.values()) element.setAttribute("aria-setsize", String(lines.count()))
    nameCurrent()
  }
  const draw = onceAFrame(render)

  scroller.addEventListener("scroll", draw, { passive: true })
  new ResizeObserver(draw).observe(scroller)

  const indexAt = (t: number): number | undefined => {
    if (picked !== undefined && picked < lines.count() && lines.timeOf(picked) === t) return picked
    let [low, high] = [0, lines.count()]
    while (low < high) {
      const middle = (low + high) >> 1
      if (lines.timeOf(middle) <= t) low = middle + 1
      else high = middle
    }
    if (low === 0) return undefined
    for (let index = low - 1; index >= Math.max(0, low - mostMeant); index -= 1) {
      if (lines.isMeant(index)) return index
    }
    return low - 1
  }

  const bringIntoView = (index: number): void => {
    const top = index * lineHeight
    const { clientHeight, scrollTop } = scroller
    if (top >= scrollTop + lineHeight && top + 2 * lineHeight <= scrollTop + clientHeight) return
    scroller.scrollTop = top - clientHeight / 2
  }

  const moveTo = (index: number | undefined): void => {
    if (index !== current) {
      const [before, now] = [current, index].map((one) => (one === undefined ? undefined : drawn.get(one)))
      const old = current
      current = index
      if (before !== undefined && old !== undefined) mark(before, old)
      if (now !== undefined && index !== undefined) mark(now, index)
      nameCurrent()
      lines.current(index)
    }
    if (index !== undefined && isFollowing) bringIntoView(index)
    draw()
  }

  const pick = (index: number): void => {
    if (lines.count() === 0) return
    picked = Math.min(Math.max(index, 0), lines.count() - 1)
    isFollowing = true
    lines.pick(picked)
  }

  const look = (): void => {
    isFollowing = false
  }
  for (const type of ["wheel", "touchmove", "pointerdown"]) scroller.addEventListener(type, look, { passive: true })

  all.addEventListener("click", (event) => {
    const element = event.target instanceof Element ? event.target.closest('[role="option"]') : null
    for (const [index, one] of drawn) if (one === element) pick(index)
  })

  scroller.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(scroller.clientHeight / lineHeight) - 1)
    const from = current ?? -1
    const to = new Map([
      ["ArrowDown", from + 1],
      ["ArrowUp", from - 1],
      ["PageDown", from + page],
      ["PageUp", from - page],
      ["Home", 0],
      ["End", lines.count() - 1]
    ]).get(event.key)
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    pick(to)
  })

  const resize = (): void => {
    all.style.height = `${lines.count() * lineHeight}px`
    moveTo(indexAt(moment))
  }

  return {
    grow: resize,
    replace: () => {
      fresh = new Set()
      picked = undefined
      current = undefined
      lines.current(undefined)
      resize()
    },
    next: () => pick(((current ?? -1) + 1) % lines.count()),
    show: (t, move) => {
      moment = t
      if (move === "seek") isFollowing = true
      moveTo(indexAt(t))
    }
  }
}

/** Marks the searched words in the lines that are shown, where the browser can. Answers what to call after a line is drawn. */
const markFound = (rows: HTMLElement, find: HTMLInputElement): (() => void) => {
  if (!("highlights" in CSS)) return () => undefined
  const name = `found-${rows.id}`
  return onceAFrame(() => {
    const words = wordsOf(find.value)
    const highlight = new Highlight()
    const texts = document.createTreeWalker(rows, NodeFilter.SHOW_TEXT)
    for (let node = words.length === 0 ? null : texts.nextNode(); node !== null; node = texts.nextNode()) {
      const text = node.nodeValue?.toLowerCase() ?? ""
      // A few letters have another length in lower case.
      if (text.length !== node.nodeValue?.length) continue
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
          const range = new Range()
          range.setStart(node, at)
          range.setEnd(node, at + word.length)
          highlight.add(range)
        }
      }
    }
    CSS.highlights.set(name, highlight)
  })
}

/** How many characters of a text are shown: in a line, and in the details below the list. */
const shown = { name: 240, word: 24, value: 20_000 }

/** How many types and how many statuses are offered to choose from. */
const maxChoices = 60

const valueText = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value, undefined, 1)
  } catch {
    return "The value is nested too deep to be shown."
  }
}

/** An answer with an error status counts as failed, whatever the type of its event. */
const markOfStatus = (status: string): string => (/^[45]\d\d$/.test(status) ? "failed" : markOf({ status }))

/** Fills a filter's options as values are found. */
const makeChoices = (select: HTMLSelectElement) => {
  const found = new Set<string>()
  return (value: string | undefined): void => {
    if (value === undefined || found.has(value) || found.size >= maxChoices) return
    found.add(value)
    const option = make("option", "", beginning(value, 2 * shown.word))
    option.value = value
    select.append(option)
  }
}

const drawEvent = (line: HTMLElement, { name, status = "", t, type }: TraceEvent): void => {
  line.className = `line ${markOfStatus(status)}`
  line.replaceChildren(
    make("span", "t", clockText(t)),
    " ",
    make("bdi", "type-name", beginning(type, shown.word)),
    " ",
    make("bdi", "name", beginning(name, shown.name)),
    " ",
    make("bdi", "status", beginning(status, shown.word))
  )
}

/** The fields of an event. What its line can't show comes first. */
const eventDetail = ({ fields, name, status, t, type }: TraceEvent): ReadonlyArray<Node> => {
  const said: ReadonlyArray<readonly [string, unknown]> = [
    ["name", name],
    ...Object.entries(fields).filter(([, value]) => value !== failureText()),
    ...(status === undefined ? [] : [["status", status] as const]),
    ["type", type],
    ["t", clockText(t)]
  ]
  const terms = make("dl")
  for (const [field, value] of said) {
    const row = make("div")
    const term = make("dt")
    term.append(make("bdi", "", beginning(field, shown.name)))
    const definition = make("dd")
    definition.append(make("bdi", "", beginning(valueText(value), shown.value)))
    row.append(term, definition)
    terms.append(row)
  }
  return [terms]
}

/** The events of a run: a list to filter and search, on the clock of the page. */
export const showEvents = (
  section: HTMLElement,
  recordings: ReadonlyArray<RecordingData>,
  on: {
    readonly clock: Clock
    readonly say: (text: string) => void
    readonly isMeant: (event: TraceEvent) => boolean
  }
): EntryList<TraceEvent> => {
  const find = part(section, ".find", HTMLInputElement)
  const type = part(section, ".type-of", HTMLSelectElement)
  const status = part(section, ".status-of", HTMLSelectElement)
  const [offerType, offerStatus] = [makeChoices(type), makeChoices(status)]
  const texts = new WeakMap<TraceEvent, string>()

  const textOf = (event: TraceEvent): string => {
    const text = texts.get(event) ?? searchedText(event)
    texts.set(event, text)
    return text
  }

  const entries = showEntries<TraceEvent>(section, recordings, on, {
    noun: "events",
    read: async function* ({ startedAtMs = 0 }, stream) {
      for await (const batch of eventBatches(lineBatches(await inflated(stream)), startedAtMs)) {
        for (const event of batch) {
          offerType(event.type)
          offerStatus(event.status)
        }
        yield batch
      }
    },
    filter: () => {
      const words = wordsOf(find.value)
      const [ofType, ofStatus] = [type.value, status.value]
      return (event) =>
        (ofType === "" || event.type === ofType) &&
        (ofStatus === "" || event.status === ofStatus) &&
        (words.length === 0 || hasWords(textOf(event), words))
    },
    draw: drawEvent,
    detail: eventDetail,
    isMeant: on.isMeant
  })
  for (const control of [find, type, status]) control.addEventListener("input", entries.filter)
  return entries
}

/** How many characters of a line are shown: in the list, and in the details below. */
const shownOfLine = { line: 400, of: 24, whole: 60, detail: 20_000 }

/** How many lines are read in one go. */
const batchSize = 500

/** The mark of a line with an error or a warning. */
const levelOf = (text: string): string =>
  /\b(?:error|fatal|fail(?:ed|ure)?)\b/i.test(text) ? "failed" : /\bwarn(?:ing)?\b/i.test(text) ? "warned" : ""

/** A line, and the name of its log if there are several. */
interface Line extends LogLine {
  readonly of: string | undefined
}

const drawLine = (line: HTMLElement, { of, t, text }: Line): void => {
  const begun = beginning(withoutTime(text), shownOfLine.line)
  line.className = `line ${levelOf(begun)}`
  line.replaceChildren(
    make("span", "t", clockText(t)),
    " ",
    ...(of === undefined ? [] : [make("bdi", "type-name", beginning(of, shownOfLine.of)), " "]),
    make("bdi", "name", begun)
  )
}

const lineDetail = ({ of, text }: Line): ReadonlyArray<Node> => [
  ...(of === undefined ? [] : [make("bdi", "from", `${of}: `)]),
  ...(of === undefined && text.length <= shownOfLine.whole
    ? []
    : [make("bdi", "text", beginning(text, shownOfLine.detail))])
]

/** The log of a run: a list to search, on the clock of the page. */
export const showLog = (
  section: HTMLElement,
  recordings: ReadonlyArray<RecordingData>,
  on: { readonly clock: Clock; readonly say: (text: string) => void }
): EntryList<Line> => {
  const find = part(section, ".find", HTMLInputElement)
  const entries = showEntries<Line>(section, recordings, on, {
    noun: "lines of the log",
    read: async function* ({ name, startedAtMs = 0 }, stream) {
      const read = logReader(startedAtMs)
      const of = recordings.length > 1 ? name : undefined
      for await (const lines of lineBatches(await inflated(stream))) {
        for (let at = 0; at === 0 || at < lines.length; at += batchSize) {
          yield lines.slice(at, at + batchSize).map((line) => ({ ...read(line), of }))
        }
      }
    },
    filter: () => {
      const words = wordsOf(find.value)
      return ({ text }) => words.length === 0 || hasWords(text.toLowerCase(), words)
    },
    draw: drawLine,
    detail: lineDetail
  })
  find.addEventListener("input", entries.filter)
  return entries
}
