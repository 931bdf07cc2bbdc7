/** A length of time for people: `250 ms`, `2.17 s`, `1 min 5 s`. */
export const durationText = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toLocaleString("en-GB", { maximumFractionDigits: 2 })} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60).toLocaleString("en-GB")} min ${whole % 60} s`
}
