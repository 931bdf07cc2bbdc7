/** Reads source maps. It is loaded by the page of a replay with the first position that has to be named. */
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping"

/** A text in which positions in the bundle are those in its sources. */
export type Naming = (text: string) => string

/** The most positions of a text that are replaced. */
const maxPositions = 100

/** The longest name of a source, which may be anything. */
const longest = 300

/** Reads a source map, for positions in the bundle at a relative URL. Throws if it is none. */
export const makeNaming = (map: string, bundle: string): Naming => {
  const traced = new TraceMap(map)
  const escaped = bundle.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const position = new RegExp(`${escaped}:(\\d{1,9}):(\\d{1,9})`, "g")
  return (text) => {
    let count = 0
    return text.replaceAll(position, (whole, line: string, column: string) => {
      if (++count > maxPositions || Number(line) < 1 || Number(column) < 1) return whole
      const found = originalPositionFor(traced, { line: Number(line), column: Number(column) - 1 })
      return found.source === null ? whole : `${found.source.slice(-longest)}:${found.line}:${found.column + 1}`
    })
  }
}
