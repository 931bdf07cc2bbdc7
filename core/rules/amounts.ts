/** Sizes and times as people read them, on pages, in messages and in the reports of CI. */

const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const

/** A number of bytes in words, rounded to a tenth: `1.5 GiB`. */
export const bytesText = (bytes: number): string => {
  if (bytes === 1) return "1 byte"
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1)
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power]}`
}

/** How a number of bytes differs from an earlier one: `+1.2 KiB (+3%)`, or `the same`. */
export const sizeChangeText = (now: number, before: number): string => {
  const change = now - before
  if (change === 0) return "the same"
  const sign = change < 0 ? "−" : "+"
  const percent = (Math.abs(change) / before) * 100
  const digits = { maximumFractionDigits: percent < 10 ? 1 : 0 }
  const share = before === 0 || percent < 0.05 ? "" : ` (${sign}${percent.toLocaleString("en-GB", digits)}%)`
  return `${sign}${bytesText(Math.abs(change))}${share}`
}

/** Why a new failure may be no fault of the change: `flaky on main (13 of the last 40)`. */
export const flakyOnBaseText = (
  base: string,
  { of, unstable }: { readonly of: number; readonly unstable: number }
): string => `flaky on ${base} (${unstable} of the last ${of})`

/** A length of time: `250 ms`, `2.17 s`, `1 min 5 s`. */
export const durationText = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toLocaleString("en-GB", { maximumFractionDigits: 2 })} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60).toLocaleString("en-GB")} min ${whole % 60} s`
}
