import type { CheckResult, Report } from "../report/Report.ts"
import { changes } from "./changes.ts"
import type { Difference } from "./Difference.ts"

const groundOf = ({ config, interface: { digest }, suite }: Report) =>
  new Map([
    ["target", config.url],
    ["suite version", suite.version],
    ["suite digest", suite.digest],
    ["interface digest", digest]
  ])

const verdictsOf = ({ verdicts }: Report) => new Map(Object.entries(verdicts))

const outcomesOf = ({ checks }: Report) => new Map(checks.map(({ id, outcome }) => [id, outcome]))

/** What of a choice is compared: the answers, whichever checks saw them. */
const answersOf = ({ choices }: Report) =>
  new Map(choices.map(({ answers, silence }) => [silence, answers.map(({ answer }) => answer)]))

const reasonOf = ({ outcome, reason, violation }: CheckResult): string | undefined =>
  outcome === "passed" ? undefined : (violation?.came ?? reason)

/** What changed from one report to another: what was run, verdicts, outcomes and choices. */
export const diff = (before: Report, after: Report): Difference => ({
  ground: changes(groundOf(before), groundOf(after)).map(({ name, ...sides }) => ({ what: name, ...sides })),
  verdicts: changes(verdictsOf(before), verdictsOf(after)).map(({ name, ...sides }) => ({ profile: name, ...sides })),
  checks: changes(outcomesOf(before), outcomesOf(after)).map(({ name, ...sides }) => {
    const result = after.checks.find(({ id }) => id === name)
    const reason = result === undefined ? undefined : reasonOf(result)
    return { id: name, ...sides, ...(reason === undefined ? {} : { reason }) }
  }),
  choices: changes(answersOf(before), answersOf(after)).map(({ name, ...sides }) => ({ silence: name, ...sides }))
})
