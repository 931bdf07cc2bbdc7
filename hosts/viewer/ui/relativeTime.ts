const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

/** How many days are counted; an older time is a date. */
const mostDays = 30

/** A time relative to now, in the browser's zone: `3 min ago`, `yesterday`, `2 Nov 2026, 14:03`. */
export const relativeTime = (at: number, now: number): string => {
  const age = Math.abs(now - at)
  if (age >= mostDays * 86_400_000)
    return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })
  const [unit, length] = units.find(([, one]) => age >= one) ?? ["minute", 0]
  if (length === 0) return "just now"
  const format = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" })
  return format.format(Math.sign(at - now) * Math.floor(age / length), unit)
}
