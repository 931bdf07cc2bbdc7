import stripAnsi from "strip-ansi"

/** A line of a log, and when it was written in milliseconds on the log's own clock. */
export interface LogLine {
  readonly index: number
  readonly t: number
  readonly text: string
}

const iso = /^\W{0,2}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?/
/** A clock, with the day before it as Android (`03-19`) and syslog (`Mar 19`) write it, or without. */
const clock = /^\W{0,2}(\d\d-\d\d +|[A-Z][a-z]{2} +\d{1,2} +)?(?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?:[.,](\d{1,3}))?\d*\b/
const minute = 60_000
const day = 24 * 60 * minute

/**
 * The time that a line begins with, in milliseconds. A `stopwatch` counts from the beginning of the log; one that might be
 * its first time shows which.
 */
interface Stamp {
  readonly millis: number
  readonly of: "calendar" | "day" | "day or stopwatch" | "stopwatch"
}

const stampOf = (text: string): Stamp | undefined => {
  const [dated, date, zone = ""] = iso.exec(text) ?? []
  if (dated !== undefined && date !== undefined) {
    // Some browsers don't parse a time zone without a colon.
    const withColon = zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")
    const millis = Date.parse(date.replace(" ", "T").replace(",", ".") + withColon)
    return Number.isNaN(millis) ? undefined : { millis, of: "calendar" }
  }
  const [found, onDay, hours, minutes, seconds, fraction = ""] = clock.exec(text) ?? []
  if (found === undefined) return undefined
  const whole = (Number(hours ?? 0) * 60 + Number(minutes)) * minute + Number(seconds) * 1000
  return {
    millis: whole + Number(fraction.padEnd(3, "0")),
    of: onDay !== undefined ? "day" : hours !== undefined ? "day or stopwatch" : "stopwatch"
  }
}

/** A line without the time that it begins with, for where its time stands beside it. */
export const withoutTime = (text: string): string => {
  const [time] = iso.exec(text) ?? clock.exec(text) ?? []
  return time === undefined ? text : text.slice(time.length).replace(/^\W?\s+/, "")
}

/**
 * Reads the lines of a log, one after the other, with their times. Times count from the first one, unless the log's clock
 * is a stopwatch; a line without a time as the first one is written, or with an earlier one, has the time of the line before.
 * They are on the log's own clock, unless the start of the log on another clock is given.
 */
export const logReader = (startedAtMs = 0): ((line: string) => LogLine) => {
  let first: Stamp | undefined
  let [last, index, midnights, before] = [0, 0, 0, 0]

  /** A stopwatch continues past the first hour; times in another form are not of this log. */
  const isTime = ({ of }: Stamp): boolean =>
    first === undefined || of === first.of || (first.of === "stopwatch" && of === "day or stopwatch")

  return (line) => {
    const text = stripAnsi(line)
    const stamp = stampOf(text)
    if (stamp !== undefined && isTime(stamp)) {
      first ??= stamp
      const isStopwatch = first.of === "stopwatch" || (first.of === "day or stopwatch" && first.millis < minute)
      if (first.of !== "calendar" && before - stamp.millis > day / 2) midnights += day
      before = stamp.millis
      last = Math.max(last, stamp.millis + midnights - (isStopwatch ? 0 : first.millis))
    }
    return { index: index++, t: startedAtMs + last, text }
  }
}
