import { clockText } from "../clockText.ts"
import { eventBatches } from "../eventBatches.ts"
import type { TraceEvent } from "../event.ts"
import { inflated } from "../../content/inflated.ts"
import { lineBatches } from "../lines.ts"
import { hasWords, searchedText, wordsOf } from "../search.ts"
import { markOf } from "../stepText.ts"
import type { RecordingData } from "../traceData.ts"
import type { Clock } from "./clock.ts"
import { beginning, make, part } from "../../ui/dom.ts"
import { failureText } from "./failure.ts"
import { showEntries, type EntryList } from "./entryList.ts"

/** How many characters of a text are shown: in a line, and in the details below the list. */
const shown = { name: 240, word: 24, value: 20_000 }

/** How many types and how many statuses are offered to choose from. */
const mostChoices = 60

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
    if (value === undefined || found.has(value) || found.size >= mostChoices) return
    found.add(value)
    const option = make("option", "", beginning(value, 2 * shown.word))
    option.value = value
    select.append(option)
  }
}

const draw = (line: HTMLElement, { name, status = "", t, type }: TraceEvent): void => {
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
const detail = ({ fields, name, status, t, type }: TraceEvent): ReadonlyArray<Node> => {
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
    draw,
    detail,
    isMeant: on.isMeant
  })
  for (const control of [find, type, status]) control.addEventListener("input", entries.filter)
  return entries
}
