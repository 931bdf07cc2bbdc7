import { createHash } from "node:crypto"

/** Random choices that a seed repeats. */
export interface Choices {
  /** A whole number from 0 on, below this one. */
  readonly below: (bound: number) => number
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
  /** One of all with each call, so that each comes once before any comes again. */
  readonly inTurn: <A>(all: ReadonlyArray<A>) => () => A
}

export const choicesOf = (seed: string): Choices => {
  let made = 0
  const below = (bound: number) => createHash("sha256").update(`${seed} ${made++}`).digest().readUIntBE(0, 6) % bound
  const takeFrom = <A>(all: Array<A>): A => {
    const [chosen] = all.splice(below(all.length), 1)
    if (chosen === undefined) throw new Error("there is nothing to choose from")
    return chosen
  }
  return {
    below,
    oneOf: (all) => takeFrom([...all]),
    inTurn: (all) => {
      let left = [...all]
      return () => {
        if (left.length === 0) left = [...all]
        return takeFrom(left)
      }
    }
  }
}
