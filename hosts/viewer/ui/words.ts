/** Numbers, times and long texts in words, for the server and for scripts. */

/** The first `length` characters of a text. The rest isn't examined, however long the text is. */
export const shortText = (text: string, length: number): string => {
  // A character has two units at most.
  const characters = Array.from(text.slice(0, 2 * length))
  return characters.length <= length && text.length <= 2 * length
    ? text
    : `${characters.slice(0, length - 1).join("")}…`
}

/** A number with its noun: `1 run`, `3 runs`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : several}`

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

/** How many days are counted; an older time is a date. */
const maxDays = 30

/** A time relative to now, in the browser's zone: `3 min ago`, `yesterday`, `2 Nov 2026, 14:03`. */
export const relativeTime = (at: number, now: number): string => {
  const age = Math.abs(now - at)
  if (age >= maxDays * 86_400_000)
    return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })
  const [unit, length] = units.find(([, one]) => age >= one) ?? ["minute", 0]
  if (length === 0) return "just now"
  const format = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" })
  return format.format(Math.sign(at - now) * Math.floor(age / length), unit)
}
