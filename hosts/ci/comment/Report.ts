import type { TestRun } from "../../client/index.ts"

/** What the runs of one source come to. */
export interface Report {
  readonly failed: ReadonlyArray<TestRun>
  /** Passed, but not at the first attempt. */
  readonly flaky: ReadonlyArray<TestRun>
  readonly passed: ReadonlyArray<TestRun>
  /** The page of all of them, for who has a key. */
  readonly url: string
}

/** Whether a run passed after an attempt that failed. */
const isFlaky = ({ attempts = [], status }: TestRun): boolean =>
  status === "passed" && attempts.some((attempt) => attempt.status === "failed")

/** What a run is called. */
export const nameOf = ({ name, prompt }: TestRun): string => name ?? prompt ?? "a test without a name"

/** Sorts the runs of a source by how they went, each kind by name. */
export const reportOf = (runs: ReadonlyArray<TestRun>, url: string): Report => {
  const sorted = runs.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)) || (a.id < b.id ? -1 : 1))
  return {
    failed: sorted.filter(({ status }) => status === "failed"),
    flaky: sorted.filter(isFlaky),
    passed: sorted.filter((run) => run.status === "passed" && !isFlaky(run)),
    url
  }
}

/** How many runs a report is of. */
export const countOf = ({ failed, flaky, passed }: Report): number => failed.length + flaky.length + passed.length
