import type { Mutant } from "../parts/Mutant.ts"
import type { Base } from "./Base.ts"
import { bases } from "./index.ts"

/** A mutant of one base. */
export interface Planted extends Mutant {
  readonly base: Base
  /** `base:mutant`. */
  readonly name: string
}

/** Every mutant that can be planted in each base, with the checks that report it there. */
export const planted = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<Planted> =>
  bases.flatMap((base) =>
    mutants
      .filter(({ id }) => base.unplanted[id] === undefined)
      .map((mutant) => ({
        ...mutant,
        caughtBy: base.caughtBy[mutant.id] ?? mutant.caughtBy,
        base,
        name: `${base.name}:${mutant.id}`
      }))
  )
