import type { Complaint } from "./Trial.ts"

/** What is wrong with how a mutant was caught: checks that let it through, and others that didn't pass. */
export const misjudged = (
  caughtBy: ReadonlyArray<string>,
  complaints: ReadonlyArray<Complaint>
): ReadonlyArray<string> => [
  ...caughtBy.filter((id) => !complaints.some(({ check }) => check === id)).map((id) => `${id} lets it through`),
  ...complaints
    // What an upload has varies with the check, so a fault of one variant shows in the steps of others.
    .filter(({ inStep }) => !inStep)
    .filter(({ check, outcome }) => outcome !== "failed" || !caughtBy.includes(check))
    .map(({ check, outcome, said }) => `${check} ${outcome}: ${said}`)
]
