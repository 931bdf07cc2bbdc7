import type { Check } from "../checks/steps/Check.ts"
import { coverage } from "../requirements/coverage.ts"
import { requirements } from "../requirements/index.ts"

/** Every sentence of the interface with its checks, as text for people. */
export const coverageLines = (checks: ReadonlyArray<Check>): ReadonlyArray<string> => {
  const { coveredMusts, observableMusts, rows, sentences, unobservable } = coverage(requirements, checks)
  const lines = rows.flatMap((row) => [
    `§${row.section}  ${row.level}  ${row.id}`,
    `    ${row.text}`,
    ...(row.unobservable === undefined ? [] : [`    can't be seen from outside: ${row.unobservable}`]),
    ...row.checks.map(({ id }) => `    - ${id}`)
  ])
  return [
    ...lines,
    "",
    `${sentences} sentences; ${coveredMusts} of ${observableMusts} that bind and can be seen from outside are proved by ` +
      `${checks.length} checks, ${unobservable} can't be seen from outside.`
  ]
}
