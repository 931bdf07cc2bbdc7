import { createHash } from "node:crypto"

/** Random choices that a seed repeats. */
export interface Choices {
  /** A whole number from 0 on, below this one. */
  readonly below: (bound: number) => number
  readonly oneOf: <A>(all: ReadonlyArray<A>) => A
}

export const choicesOf = (seed: string): Choices => {
  let made = 0
  const below = (bound: number) => createHash("sha256").update(`${seed} ${made++}`).digest().readUIntBE(0, 6) % bound
  return {
    below,
    oneOf: (all) => {
      const chosen = all[below(all.length)]
      if (chosen === undefined) throw new Error("there is nothing to choose from")
      return chosen
    }
  }
}
