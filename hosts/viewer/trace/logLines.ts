/** A line of a log, and when it was written in milliseconds on the log's own clock. */
export interface LogLine {
  readonly index: number
  readonly t: number
  readonly text: string
}

const iso = /^\W{0,2}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)/
const clock = /^\W{0,2}(?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?:[.,](\d{1,3}))?\b/
const hour = 3_600_000

/** The time that a line begins with: of a day's clock, or of the calendar. */
const timeOf = (text: string): { readonly millis: number; readonly isDate: boolean } | undefined => {
  const date = iso.exec(text)?.[1]
  if (date !== undefined) {
    const millis = Date.parse(date.replace(" ", "T").replace(",", "."))
    return Number.isNaN(millis) ? undefined : { millis, isDate: true }
  }
  const [found, hours = "0", minutes = "0", seconds = "0", fraction = "0"] = clock.exec(text) ?? []
  if (found === undefined) return undefined
  const millis = Number(hours) * hour + Number(minutes) * 60_000 + Number(seconds) * 1000
  return { millis: millis + Number(fraction.padEnd(3, "0")), isDate: false }
}

/** A line without the time that it begins with, for where its time stands beside it. */
export const withoutTime = (text: string): string => {
  const [time] = iso.exec(text) ?? clock.exec(text) ?? []
  return time === undefined ? text : text.slice(time.length).replace(/^\W?\s+/, "")
}

/**
 * Reads the lines of a log, one after the other, with their times. Times count from the first one, unless the log's clock
 * began near zero; a line without a time, or with one that goes back, goes with the line before. They are on the log's
 * own clock, unless it is told when on another one the log started.
 */
export const logReader = (startedAtMs = 0): ((text: string) => LogLine) => {
  let start: number | undefined
  let last = 0
  let index = 0
  return (text) => {
    const time = timeOf(text)
    if (time !== undefined) {
      start ??= !time.isDate && time.millis < hour ? 0 : time.millis
      last = Math.max(last, time.millis - start)
    }
    return { index: index++, t: startedAtMs + last, text }
  }
}
