const digits = (value: number, count: number): string => String(value).padStart(count, "0")

/** A time of a run as a clock shows it: `0:02.166`, `12:03.400`, `1:02:03.000`. */
export const clockText = (t: number): string => {
  const millis = Math.max(0, Math.round(t))
  const seconds = Math.floor(millis / 1000)
  const minutes = Math.floor(seconds / 60)
  const rest = `${digits(seconds % 60, 2)}.${digits(millis % 1000, 3)}`
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${digits(minutes % 60, 2)}:${rest}`
}
