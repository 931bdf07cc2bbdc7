/** A bucket of `burst` requests for each key, refilled at `perSecond`. Answers whether one more may pass. */
export const makeRateLimit = (now: () => number, burst: number, perSecond: number): ((key: string) => boolean) => {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>()
  return (key) => {
    const { at, left } = buckets.get(key) ?? { at: now(), left: burst }
    const filled = Math.min(burst, left + ((now() - at) / 1000) * perSecond)
    buckets.set(key, { left: filled < 1 ? filled : filled - 1, at: now() })
    return filled >= 1
  }
}
