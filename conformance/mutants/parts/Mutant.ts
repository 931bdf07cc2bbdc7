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

/**
 * Mutants by their ids: the fault, the check that reports it, or several, the front that causes it, and what the config of
 * a run claims, where the fault is only that.
 */
export type MutantTable = Readonly<
  Record<
    string,
    readonly [fault: string, caughtBy: string | Mutant["caughtBy"], front: Front, claims?: Partial<Config>]
  >
>

/** The mutants of an area's tables, in the order of the tables. */
export const toMutants = (area: Area, ...tables: ReadonlyArray<MutantTable>): ReadonlyArray<Mutant> =>
  tables
    .flatMap((table) => Object.entries(table))
    .map(([id, [fault, caughtBy, front, claims = {}]]) => ({
      id,
      area,
      fault,
      caughtBy: typeof caughtBy === "string" ? [caughtBy] : caughtBy,
      front,
      claims
    }))
