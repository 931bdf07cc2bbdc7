import type { TestRun } from "../../client/index.ts"
import type { KnownImports } from "../../../core/rules/imports.ts"
import { attemptsOf } from "../../../core/rules/attempts.ts"

/** The runs of a test in one CI run, the latest attempt first: it decides. */
export type Attempts = readonly [latest: TestRun, ...earlier: ReadonlyArray<TestRun>]

/** The results of one CI run, by the latest attempt of each test. */
export interface Report {
  readonly failed: ReadonlyArray<Attempts>
  /** Passed, but not at the first try of its runner. */
  readonly flaky: ReadonlyArray<Attempts>
  readonly passed: ReadonlyArray<Attempts>
  /** Whether all imports of the CI run have ended; `undefined` where nothing is known. */
  readonly imports: KnownImports | undefined
  /** The page of all of them, for who has a key. */
  readonly url: string
  /** The only app that it is of; of all if it is `undefined`. */
  readonly app?: string | undefined
}

/** Whether a run passed after a try that failed. */
const isFlaky = ({ attempts = [], status }: TestRun): boolean =>
  status === "passed" && attempts.some((attempt) => attempt.status === "failed")

/** What a run is called. */
export const nameOf = ({ name, prompt }: TestRun): string => name ?? prompt ?? "a test without a name"

/** Sorts the tests of a CI run by how they went, each kind by name. `runs` are newest first. */
export const reportOf = (
  runs: ReadonlyArray<TestRun>,
  { app, imports, url }: Pick<Report, "app" | "imports" | "url">
): Report => {
  const tests = attemptsOf(runs, (run) => run).toSorted(
    ([a], [b]) => nameOf(a).localeCompare(nameOf(b)) || (a.id < b.id ? -1 : 1)
  )
  return {
    failed: tests.filter(([{ status }]) => status === "failed"),
    flaky: tests.filter(([run]) => isFlaky(run)),
    passed: tests.filter(([run]) => run.status === "passed" && !isFlaky(run)),
    imports,
    url,
    app
  }
}

/** How many tests a report is of. */
export const countOf = ({ failed, flaky, passed }: Report): number => failed.length + flaky.length + passed.length
