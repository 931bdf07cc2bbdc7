import type { Check } from "../checks/steps/Check.ts"
import { bySection, checksOf, type Requirement, type Sentence } from "./Requirement.ts"

/** A sentence, and what stands for it: the checks that prove it, or why none can. */
export interface CoverageRow extends Sentence {
  readonly checks: ReadonlyArray<Pick<Check, "id" | "title">>
  readonly unobservable?: string
}

/** Every sentence with what proves it, and the sums. */
export interface Coverage {
  /** In the order of the sections. */
  readonly rows: ReadonlyArray<CoverageRow>
  readonly sentences: number
  /** The sentences that bind without exception and show from outside. */
  readonly observableMusts: number
  /** Of those, the ones that a check proves. */
  readonly coveredMusts: number
  readonly unobservable: number
  readonly checks: number
}

/** What the suite covers of the interface. A check that isn't there counts for nothing. */
export const coverage = (requirements: ReadonlyArray<Requirement>, checks: ReadonlyArray<Check>): Coverage => {
  const byId = new Map(checks.map(({ id, title }) => [id, { id, title }]))
  const rows = requirements.toSorted(bySection).map((requirement): CoverageRow => {
    const { id, level, section, text } = requirement
    return {
      id,
      section,
      level,
      text,
      checks: checksOf(requirement).flatMap((check) => byId.get(check) ?? []),
      ...("unobservable" in requirement ? { unobservable: requirement.unobservable } : {})
    }
  })
  const musts = rows.filter(({ level, unobservable }) => level === "MUST" && unobservable === undefined)
  return {
    rows,
    sentences: rows.length,
    observableMusts: musts.length,
    coveredMusts: musts.filter((row) => row.checks.length > 0).length,
    unobservable: rows.filter(({ unobservable }) => unobservable !== undefined).length,
    checks: checks.length
  }
}
