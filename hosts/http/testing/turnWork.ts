import { Effect } from "effect"

/** Counts the characters that the platform's parsers are given, until it is called. */
const parsers = (count: (units: number) => void): (() => void) => {
  const { parse } = JSON
  const { URLSearchParams: Parameters } = globalThis
  JSON.parse = (text, reviver) => {
    count(text.length)
    return parse(text, reviver)
  }
  globalThis.URLSearchParams = class extends Parameters {
    constructor(init?: ConstructorParameters<typeof Parameters>[0]) {
      if (typeof init === "string") count(init.length)
      super(init)
    }
  }
  return () => {
    JSON.parse = parse
    globalThis.URLSearchParams = Parameters
  }
}

/** Adds up units of work until the event loop turns. */
interface TurnCounter {
  readonly count: (units: number) => void
  /** The most units that one turn of the event loop added up. */
  readonly most: () => number
  readonly stop: () => void
}

export const turnCounter = (): TurnCounter => {
  let [now, most] = [0, 0]
  let next = setImmediate(function again() {
    now = 0
    next = setImmediate(again)
  })
  return {
    count: (units) => {
      now += units
      most = Math.max(most, now)
    },
    most: () => most,
    stop: () => clearImmediate(next)
  }
}

/**
 * Runs an effect and returns, beside its result, the most characters that `JSON.parse` and `URLSearchParams` were given in
 * one turn of the event loop: a slow or busy machine counts the same.
 */
export const parsedPerTurn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const counter = turnCounter()
      const restore = parsers(counter.count)
      return { ...counter, restore }
    }),
    ({ most }) => Effect.map(effect, (result) => ({ result, most: most() })),
    ({ restore, stop }) =>
      Effect.sync(() => {
        restore()
        stop()
      })
  )
