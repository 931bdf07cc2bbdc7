import { clockText } from "../clockText.ts"
import { inflated } from "../../content/inflated.ts"
import { lineBatches } from "../lines.ts"
import { logReader, withoutTime, type LogLine } from "../logLines.ts"
import { hasWords, wordsOf } from "../search.ts"
import type { RecordingData } from "../traceData.ts"
import type { Clock } from "./clock.ts"
import { beginning, make, part } from "../../ui/dom.ts"
import { showEntries, type EntryList } from "./entryList.ts"

/** How many characters of a line are shown: in the list, and in the details below. */
const shown = { line: 400, of: 24, whole: 60, detail: 20_000 }

/** How many lines are read in one go. */
const batchSize = 500

/** The mark of a line with an error or a warning. */
const levelOf = (text: string): string =>
  /\b(?:error|fatal|fail(?:ed|ure)?)\b/i.test(text) ? "failed" : /\bwarn(?:ing)?\b/i.test(text) ? "warned" : ""

/** A line, and the name of its log if there are several. */
interface Line extends LogLine {
  readonly of: string | undefined
}

const draw = (line: HTMLElement, { of, t, text }: Line): void => {
  const begun = beginning(withoutTime(text), shown.line)
  line.className = `line ${levelOf(begun)}`
  line.replaceChildren(
    make("span", "t", clockText(t)),
    " ",
    ...(of === undefined ? [] : [make("bdi", "type-name", beginning(of, shown.of)), " "]),
    make("bdi", "name", begun)
  )
}

const detail = ({ of, text }: Line): ReadonlyArray<Node> => [
  ...(of === undefined ? [] : [make("bdi", "from", `${of}: `)]),
  ...(of === undefined && text.length <= shown.whole ? [] : [make("bdi", "text", beginning(text, shown.detail))])
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
    draw,
    detail
  })
  find.addEventListener("input", entries.filter)
  return entries
}
