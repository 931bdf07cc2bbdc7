import { closeSync, openSync, readSync } from "node:fs"

/** A time of the day at the beginning of a line, with or without a day before it. */
const timeOfDay = /^\W*(?:\d{4}-)?(?:\d\d-\d\d[ T])?(\d\d):(\d\d):(\d\d)[.,](\d{3})/m

const quarterHour = 15 * 60_000

/** How far a span is from whole quarters of an hour: from minus to plus seven and a half minutes. */
export const sinceQuarterHour = (span: number): number => {
  const after = ((span % quarterHour) + quarterHour) % quarterHour
  return after > quarterHour / 2 ? after - quarterHour : after
}

/**
 * When a log began, by the time of the day of its first line. Its time zone is unknown, but offsets are quarters of an
 * hour: so it is the instant nearest to the test's beginning that shows the same minutes.
 */
export const logStart = (file: string, near: number | undefined): number | undefined => {
  if (near === undefined) return undefined
  const handle = openSync(file, "r")
  try {
    const buffer = Buffer.alloc(16_384)
    const bytesRead = readSync(handle, buffer)
    const [, hours, minutes, seconds, milliseconds] = timeOfDay.exec(buffer.toString("utf8", 0, bytesRead)) ?? []
    if (hours === undefined) return undefined
    const ofDay = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds)
    return near + sinceQuarterHour(ofDay - near)
  } finally {
    closeSync(handle)
  }
}
