/** The moment of a run that an address points at: `#t=12.4`, in seconds. */
const form = /^#(?:[^#]*&)?t=(\d{1,9}(?:\.\d{1,9})?)s?(?:&|$)/

/** The moment that the fragment of an address names, in milliseconds. */
export const momentIn = (hash: string): number | undefined => {
  const [, seconds] = form.exec(hash) ?? []
  return seconds === undefined ? undefined : Number(seconds) * 1000
}

/** The fragment that names a moment, to the millisecond. */
export const hashOf = (t: number): string => `#t=${Number((Math.round(t) / 1000).toFixed(3))}`
