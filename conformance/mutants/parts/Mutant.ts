import type { Config } from "../../config/Config.ts"
import type { Area } from "./Call.ts"
import type { Front } from "./Front.ts"

/** The reference host with one fault. */
export interface Mutant {
  readonly id: string
  /** The first part of the id. Its front gets only requests to this area. */
  readonly area: Area
  /** What this host does wrong, in one sentence. */
  readonly fault: string
  /** The ids of the checks that report the fault: all of them, and no other. */
  readonly caughtBy: readonly [string, ...ReadonlyArray<string>]
  readonly front: Front
  /** What the config of a run against it says besides. */
  readonly claims: Partial<Config>
}

/** The fault, the check that reports it, or several, the front that causes it, and what the config of a run claims besides. */
export type Row = readonly [
  fault: string,
  caughtBy: string | Mutant["caughtBy"],
  front: Front,
  claims?: Mutant["claims"]
]

/** Mutants by their ids. Ids, and those of checks, are without the area that they begin with. */
export type MutantTable = Readonly<Record<string, Row>>

/** The mutants that `make` derives from each entry of a table. */
export const eachOf = <Variant>(
  variants: Readonly<Record<string, Variant>>,
  make: (variant: Variant, name: string) => readonly [id: string, ...row: Row]
): MutantTable =>
  Object.fromEntries(
    Object.entries(variants).map(([name, variant]) => {
      const [id, ...row] = make(variant, name)
      return [id, row]
    })
  )

/** The mutants of an area's tables, in the order of the tables. */
export const toMutants = (area: Area, ...tables: ReadonlyArray<MutantTable>): ReadonlyArray<Mutant> => {
  const inArea = (id: string): string => `${area}.${id}`
  return tables
    .flatMap((table) => Object.entries(table))
    .map(([id, [fault, caughtBy, front, claims = {}]]) => {
      const [first, ...others] = typeof caughtBy === "string" ? [caughtBy] : caughtBy
      return { id: inArea(id), area, fault, caughtBy: [inArea(first), ...others.map(inArea)], front, claims }
    })
}
