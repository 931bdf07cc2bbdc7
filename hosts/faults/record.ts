/** What a fault run has seen: how often each thing happened, and each promise that was broken. */
export interface Record {
  readonly count: (what: string, times?: number) => void
  readonly counts: ReadonlyMap<string, number>
  /** Writes down that a promise was broken, in a sentence. */
  readonly broken: (sentence: string) => void
  readonly promisesBroken: ReadonlyArray<string>
}

/** A new record; `told` hears each broken promise at once. */
export const newRecord = (told: (sentence: string) => void): Record => {
  const counts = new Map<string, number>()
  const promisesBroken: Array<string> = []
  return {
    counts,
    promisesBroken,
    count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times),
    broken: (sentence) => {
      promisesBroken.push(sentence)
      told(sentence)
    }
  }
}
