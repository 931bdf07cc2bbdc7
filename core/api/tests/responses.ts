import { DateTime, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import {
  CiRunTotals,
  type ListedTest,
  type RunPoint,
  type TestHistory as StoredHistory
} from "../../model/TestHistory.ts"
import { TestRunKind, TestRunStatus } from "../../model/TestRun.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import { isIncomplete, type ImportsState } from "../../rules/imports.ts"
import { csvOf, type Cell } from "../../rules/csv.ts"
import { testIdOf } from "../../rules/testIdentity.ts"
import { judged, resultStart, tellingRun } from "../../rules/testResults.ts"
import type { CiRunFailures } from "../../service/ciRunFailures.ts"
import type { TestPage } from "../../service/TestHistories.ts"

const RunPointRecord = Schema.Struct({
  runId: Schema.String,
  commitSha: Schema.optionalKey(Schema.String),
  at: Schema.DateTimeUtcFromString
})

const listed = {
  id: Schema.String,
  kind: TestRunKind,
  name: Schema.String,
  file: Schema.optionalKey(Schema.String),
  device: Schema.optionalKey(Schema.String),
  app: Schema.optionalKey(Schema.String),
  lastStatus: TestRunStatus,
  flaky: Schema.Boolean,
  runs: Schema.Int,
  failed: Schema.Int,
  flakyRuns: Schema.Int,
  p50Ms: Schema.optionalKey(Schema.Int),
  p95Ms: Schema.optionalKey(Schema.Int),
  lastRunAt: Schema.DateTimeUtcFromString,
  failingSince: Schema.optionalKey(RunPointRecord),
  lastPassed: Schema.optionalKey(RunPointRecord),
  lastMessage: Schema.optionalKey(Schema.String)
}

/**
 * A test in a list: its numbers over the last 100 results. `name` is its prompt where it has no name, `device` the platform of
 * the devices that it runs on. @see docs/history.md
 */
export const TestRecord = Schema.Struct(listed).annotate({ identifier: "TestRecord" })
export type TestRecord = typeof TestRecord.Type

/** A page of tests, those that ran last first; `cursor` continues it. */
export const TestList = Schema.Struct({
  tests: Schema.Array(TestRecord),
  cursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TestList" })

/** A page of tests as a table. `link` has the address of the next one, relative to this one. */
export const TestTable = HttpApiSchema.WithHeaders(
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv; charset=utf-8" })),
  { link: Schema.optionalKey(Schema.String) }
)

const ResultRecord = Schema.Struct({
  runId: Schema.String,
  status: TestRunStatus,
  flaky: Schema.Boolean,
  at: Schema.DateTimeUtcFromString,
  durationMs: Schema.optionalKey(Schema.Int),
  branch: Schema.optionalKey(Schema.String),
  commitSha: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})

/** A test with its last 100 results, newest first. `runId` is a run that shows how the result ended. */
export const TestHistoryRecord = Schema.Struct({
  ...listed,
  results: Schema.Array(ResultRecord)
}).annotate({ identifier: "TestHistoryRecord" })

/** Whether all imports of a CI run have ended, and what is missing. @see docs/history.md */
export const ImportsRecord = Schema.Struct({
  state: Schema.Literals(["complete", "incomplete", "interrupted"]),
  expectedImports: Schema.optionalKey(Schema.Int),
  completedImports: Schema.Int,
  missing: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      state: Schema.Literals(["open", "short", "interrupted"]),
      job: Schema.optionalKey(Schema.String),
      app: Schema.optionalKey(Schema.String),
      attempt: Schema.optionalKey(Schema.String),
      expectedRuns: Schema.Int,
      registeredRuns: Schema.optionalKey(Schema.Int),
      openedAt: Schema.DateTimeUtcFromString
    })
  )
}).annotate({ identifier: "ImportsRecord" })

/**
 * A CI run, and the ids of its tests that failed on it and not on the base branch (`new`), on both (`known`), and of those that passed
 * and not only (`flaky`). Without `complete`, more tests may have failed than these. `imports` is present where one was announced.
 */
export const SourceRecord = Schema.Struct({
  source: Schema.String,
  app: Schema.optionalKey(Schema.String),
  branch: Schema.optionalKey(Schema.String),
  commitSha: Schema.optionalKey(Schema.String),
  totals: CiRunTotals,
  base: Schema.optionalKey(Schema.String),
  new: Schema.Array(Schema.String),
  known: Schema.Array(Schema.String),
  flaky: Schema.Array(Schema.String),
  complete: Schema.Boolean,
  imports: Schema.optionalKey(ImportsRecord)
}).annotate({ identifier: "SourceRecord" })

const pointOf = (point: RunPoint | undefined) => point && { ...point, at: DateTime.makeUnsafe(point.at) }

/** A test of a list. */
const toTestRecord = (test: ListedTest): TestRecord => {
  const { failed, failingSince, flakyRuns, lastMessage, lastPassed, p50Ms, runs } = test.summary
  return {
    id: test.testId,
    kind: test.kind,
    name: test.name ?? test.prompt ?? "",
    lastStatus: test.lastStatus,
    flaky: test.lastFlakyAt !== undefined,
    runs,
    failed,
    flakyRuns,
    lastRunAt: test.lastRunAt,
    ...withoutUndefined({
      file: test.file,
      device: test.platform,
      app: test.app,
      p50Ms,
      p95Ms: test.p95Ms,
      failingSince: pointOf(failingSince),
      lastPassed: pointOf(lastPassed),
      lastMessage
    })
  }
}

/** A page of the list. */
export const toTestList = ({ nextCursor, tests }: TestPage): typeof TestList.Type => ({
  tests: tests.map(toTestRecord),
  ...withoutUndefined({ cursor: nextCursor })
})

const isoOf = (at: DateTime.Utc | undefined) => at && DateTime.formatIso(at)

/** The columns of tests in a table. */
export const testColumns: { readonly [name: string]: (test: TestRecord) => Cell } = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  name: ({ name }) => name,
  file: ({ file }) => file,
  device: ({ device }) => device,
  app: ({ app }) => app,
  lastStatus: ({ lastStatus }) => lastStatus,
  flaky: ({ flaky }) => flaky,
  runs: ({ runs }) => runs,
  failed: ({ failed }) => failed,
  flakyRuns: ({ flakyRuns }) => flakyRuns,
  p50Ms: ({ p50Ms }) => p50Ms,
  p95Ms: ({ p95Ms }) => p95Ms,
  lastRunAt: ({ lastRunAt }) => isoOf(lastRunAt),
  failingSince: ({ failingSince }) => isoOf(failingSince?.at),
  failingSinceRunId: ({ failingSince }) => failingSince?.runId,
  failingSinceCommitSha: ({ failingSince }) => failingSince?.commitSha,
  lastPassed: ({ lastPassed }) => isoOf(lastPassed?.at),
  lastPassedRunId: ({ lastPassed }) => lastPassed?.runId,
  lastPassedCommitSha: ({ lastPassed }) => lastPassed?.commitSha,
  lastMessage: ({ lastMessage }) => lastMessage
}

/** The columns of a test's results in a table. */
export const resultColumns: { readonly [name: string]: (result: typeof ResultRecord.Type) => Cell } = {
  runId: ({ runId }) => runId,
  status: ({ status }) => status,
  flaky: ({ flaky }) => flaky,
  at: ({ at }) => isoOf(at),
  durationMs: ({ durationMs }) => durationMs,
  branch: ({ branch }) => branch,
  commitSha: ({ commitSha }) => commitSha,
  source: ({ source }) => source,
  message: ({ message }) => message
}

/** The tests of a page as CSV. */
export const csvOfTests = (tests: ReadonlyArray<TestRecord>): string => csvOf(testColumns, tests)

/** A test with its results. */
export const toTestHistoryRecord = (test: StoredHistory): typeof TestHistoryRecord.Type => ({
  ...toTestRecord(test),
  results: judged(test.results).map((result) => {
    const { branch, commitSha, durationMs, message, runId, source } = tellingRun(result)
    return {
      runId,
      status: result.status,
      flaky: result.flaky,
      at: DateTime.makeUnsafe(resultStart(result)),
      ...withoutUndefined({ durationMs, branch, commitSha, source, message })
    }
  })
})

/** What is known of the imports of a CI run. */
export const toImportsRecord = ({ missing, ...state }: ImportsState): typeof ImportsRecord.Type => ({
  ...state,
  missing: missing.map(({ openedAt, ...one }) => ({ ...one, openedAt: DateTime.makeUnsafe(openedAt) }))
})

/** The failures of the CI run that `source` names. A test has one id for all devices of a platform: one that failed anywhere failed. */
export const toSourceRecord = (source: string, found: CiRunFailures): typeof SourceRecord.Type => {
  const { app, base, ciRun, imports, isWhole, totals } = found
  const idsOf = (tests: CiRunFailures["new"]) => new Set(tests.map(([{ run }]) => testIdOf(run)))
  const [added, known] = [idsOf(found.new), idsOf(found.known)]
  return {
    source,
    totals,
    new: [...added],
    known: [...known],
    flaky: [...idsOf(found.flaky)].filter((id) => !added.has(id) && !known.has(id)),
    complete: isWhole && !isIncomplete(imports),
    ...withoutUndefined({
      branch: ciRun.branch,
      commitSha: ciRun.commitSha,
      base,
      app,
      imports: imports && toImportsRecord(imports)
    })
  }
}
