/** The messages of an import beside its runs. */
import { groupedBy } from "../../../core/rules/attempts.ts"

/** Something of the input that wasn't imported. */
export interface ImportProblem {
  readonly file: string
  /** From 1. */
  readonly line?: number
  readonly reason: string
}

/** A test that didn't run. It neither passed nor failed, so it is reported and not registered. */
export interface SkippedTest {
  readonly name: string
  /** `skipped`, `todo`, `disabled`. */
  readonly status: string
}

/**
 * Collects the messages of an import. With `--strict`, a problem makes the command fail; a note and a skipped test
 * never do.
 */
export interface ImportLog {
  readonly problem: (problem: ImportProblem) => void
  readonly note: (note: string) => void
  /** Tests of one name are one, unless they have different ids. */
  readonly skipped: (test: SkippedTest, id?: string) => void
}

/** Collects each message once. */
export const makeImportLog = (): ImportLog & {
  readonly problems: ReadonlyArray<ImportProblem>
  readonly notes: ReadonlyArray<string>
  readonly skippedTests: ReadonlyArray<SkippedTest>
} => {
  const problems = new Map<string, ImportProblem>()
  const notes = new Set<string>()
  const skipped = new Map<string, SkippedTest>()
  return {
    problem: (problem) => void problems.set(JSON.stringify(problem), problem),
    note: (note) => void notes.add(note),
    skipped: (test, id = test.name) => void skipped.set(id, test),
    get problems() {
      return [...problems.values()]
    },
    get notes() {
      return [...notes]
    },
    get skippedTests() {
      return [...skipped.values()]
    }
  }
}

/** A line for each way in which tests didn't run. */
export const skippedLines = (tests: ReadonlyArray<SkippedTest>): ReadonlyArray<string> =>
  Array.from(
    groupedBy(tests, ({ status }) => status),
    ([status, of]) => {
      const names = of.slice(0, 3).map(({ name }) => JSON.stringify(name))
      const more = of.length > 3 ? `, and ${of.length - 3} more` : ""
      return `Not registered, as they didn't run (${status}): ${names.join(", ")}${more}.`
    }
  )
