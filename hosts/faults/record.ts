/** The record of a fault run: how often each action happened, and each broken promise. */
export interface Record {
  readonly count: (what: string, times?: number) => void
  readonly counts: ReadonlyMap<string, number>
  /** Writes down that a promise was broken, in a sentence. */
  readonly broken: (sentence: string) => void
  readonly promisesBroken: ReadonlyArray<string>
}

/** A new record; `onBroken` is called with each broken promise immediately. */
export const newRecord = (onBroken: (sentence: string) => void): Record => {
  const counts = new Map<string, number>()
  const promisesBroken: Array<string> = []
  return {
    counts,
    promisesBroken,
    count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times),
    broken: (sentence) => {
      promisesBroken.push(sentence)
      onBroken(sentence)
    }
  }
}
