import type { Line } from "./message.ts"

/** A line, and how often it was repeated in a row. */
export interface KeptLine extends Line {
  readonly id: number
  readonly times: number
}

/** The last lines of a console. */
export interface Lines {
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
