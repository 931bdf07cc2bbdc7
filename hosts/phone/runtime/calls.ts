import type { AppFunction } from "./decode.ts"

/**
 * How the phone calls the app. A phone and its app run concurrently, and an event never interrupts the app; here both
 * share one thread, so an event waits until the app is done.
 */
export interface Calls {
  /** Calls a function of the app; what that throws is reported as the app's, and `undefined` is answered. */
  readonly call: (call: AppFunction, ...values: ReadonlyArray<unknown>) => unknown
  /** Runs a job as soon as the app isn't running: now, or after it. */
  readonly outside: (job: () => void) => void
}

/** `report` is given what the app throws and doesn't catch. */
export const makeCalls = (report: (error: unknown) => void): Calls => {
  let depth = 0
  const waiting: Array<() => void> = []

  const call = (called: AppFunction, ...values: ReadonlyArray<unknown>): unknown => {
    depth += 1
    try {
      return called(...values)
    } catch (error) {
      report(error)
      return undefined
    } finally {
      depth -= 1
      // What waits is done after this call has answered: it may have been made by the app itself.
      if (depth === 0 && waiting.length > 0) queueMicrotask(drain)
    }
  }

  const drain = (): void => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) job()
  }

  return {
    call,
    outside: (job) => {
      if (depth > 0 || waiting.length > 0) waiting.push(job)
      else job()
    }
  }
}
