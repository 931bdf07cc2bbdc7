import { DateTime, Schema, Struct } from "effect"
import { AppName, ciDetails, CommitSha } from "../model/Build.ts"
import { PullRequest } from "../model/Preview.ts"
import { OwnerName, RepoName } from "../model/Repository.ts"
import {
  CiRunTotals,
  ImportAnnouncement,
  TestId,
  type ListedTest,
  type RunPoint,
  type TestHistory as StoredHistory
} from "../model/TestHistory.ts"
import { TestRunKind, TestRunStatus } from "../model/TestRun.ts"
import { isId, Name, text } from "../model/Text.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import type { AnnounceImport, CiRunFailures, TestPage } from "../service/TestHistories.ts"
import { WholeNumber } from "./fields.ts"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { isIncomplete, type ImportsState } from "../rules/imports.ts"
import { csvOf, type Cell } from "../rules/csv.ts"
import { testIdOf } from "../rules/testRuns.ts"
import { failedInQuarantine } from "../rules/testHistory.ts"
import { judged, resultStart, tellingRun } from "../rules/testResults.ts"
import { NotFound } from "../model/Problem.ts"
import { protect } from "./middleware.ts"

const repository = { org: OwnerName, repo: RepoName }

const branch = Schema.optionalKey(
  Name.annotate({ description: "Only results of this branch count; without it, those of all branches." })
)

/** Which tests to list, see docs/history.md. */
export const listTestsQuery = {
  ...repository,
  branch,
  status: Schema.optionalKey(TestRunStatus.annotate({ description: "The status of the last result." })),
  flaky: Schema.optionalKey(Schema.Literal(true)),
  app: Schema.optionalKey(AppName.annotate({ description: "Only tests of this app." })),
  limit: Schema.optionalKey(WholeNumber),
  cursor: Schema.optionalKey(text(1024)),
  format: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({
      description: "`csv` answers the page as a table, and its next page in the header `link`."
    })
  )
}

/** Of which branch to read a test's history. */
export const readTestQuery = { branch }

/** An import of a CI run, see docs/history.md: it is open until it is sent again with `registeredRuns`. */
export const AnnounceImportRequest = Schema.Struct({
  owner: OwnerName,
  repo: RepoName,
  ...Struct.omit(ImportAnnouncement.fields, ["attempt", "openedAt"]),
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  pr: Schema.optionalKey(PullRequest),
  ...Struct.pick(ciDetails, ["commitMessage", "author", "base"])
}).annotate({ identifier: "AnnounceImportRequest" })

/** The import, and the CI run that `source` names. */
export const toAnnounceImport = (source: string, body: typeof AnnounceImportRequest.Type): AnnounceImport => {
  const { author, base, branch, commitMessage, commitSha, owner, pr, repo, ...announced } = body
  return {
    owner,
    repo,
    source,
    import: announced,
    details: withoutUndefined({ author, base, branch, commitMessage, commitSha: commitSha?.toLowerCase(), pr })
  }
}

/** What to compare a CI run with. */
export const readSourceQuery = {
  ...repository,
  base: Schema.optionalKey(
    Name.annotate({ description: "The branch to compare with; without it, the repository's default branch." })
  ),
  app: Schema.optionalKey(AppName.annotate({ description: "Only tests of this app; without it, those of all." }))
}

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
  quarantined: Schema.optionalKey(Schema.Boolean),
  flaky: Schema.Boolean,
  runs: Schema.Int,
  failed: Schema.Int,
  flakyRuns: Schema.Int,
  intermittentRuns: Schema.optionalKey(Schema.Int),
  p50Ms: Schema.optionalKey(Schema.Int),
  p95Ms: Schema.optionalKey(Schema.Int),
  lastRunAt: Schema.DateTimeUtcFromString,
  failingSince: Schema.optionalKey(RunPointRecord),
  lastPassed: Schema.optionalKey(RunPointRecord),
  lastMessage: Schema.optionalKey(Schema.String)
}

/**
 * A test in a list: its numbers over the last 100 results. `name` is its prompt where it has no name, `device` the platform of
 * the devices that it runs on. `quarantined` tells that the last result failed in quarantine. @see docs/history.md
 */
const TestRecord = Schema.Struct(listed).annotate({ identifier: "TestRecord" })
type TestRecord = typeof TestRecord.Type

/** A page of tests, those that ran last first; `cursor` continues it. */
export const TestList = Schema.Struct({
  tests: Schema.Array(TestRecord),
  cursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "TestList" })

/** A page of tests as a table. `link` has the address of the next one, relative to this one. */
const TestTable = HttpApiSchema.WithHeaders(
  Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv; charset=utf-8" })),
  { link: Schema.optionalKey(Schema.String) }
)

const ResultRecord = Schema.Struct({
  runId: Schema.String,
  status: TestRunStatus,
  quarantined: Schema.optionalKey(Schema.Boolean),
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
 * A CI run, and the ids of its tests that failed on it and not on the base branch (`new`), on both (`known`), of those that failed
 * in quarantine (`quarantined`), and of those that passed and not only (`flaky`). `flakyOnBase` are those of `new` that are flaky or intermittent on the base branch, in `unstable` of its last
 * `of` results. Without `complete`, more tests may have failed than these. `imports` is present where one was announced.
 */
export const SourceRecord = Schema.Struct({
  source: Schema.String,
  app: Schema.optionalKey(Schema.String),
  branch: Schema.optionalKey(Schema.String),
  commitSha: Schema.optionalKey(Schema.String),
  totals: CiRunTotals,
  base: Schema.optionalKey(Schema.String),
  new: Schema.Array(Schema.String),
  flakyOnBase: Schema.Array(Schema.Struct({ id: Schema.String, unstable: Schema.Int, of: Schema.Int })),
  known: Schema.Array(Schema.String),
  quarantined: Schema.Array(Schema.String),
  flaky: Schema.Array(Schema.String),
  complete: Schema.Boolean,
  imports: Schema.optionalKey(ImportsRecord)
}).annotate({ identifier: "SourceRecord" })

const pointOf = (point: RunPoint | undefined) => point && { ...point, at: DateTime.makeUnsafe(point.at) }

/** A test of a list. */
const toTestRecord = (test: ListedTest): TestRecord => {
  const { failed, failingSince, flakyRuns, intermittentRuns, lastMessage, lastPassed, p50Ms, runs } = test.summary
  return {
    id: test.testId,
    kind: test.kind,
    name: test.name ?? test.prompt ?? "",
    lastStatus: test.lastStatus,
    ...(failedInQuarantine(test) ? { quarantined: true } : {}),
    flaky: test.lastFlakyAt !== undefined,
    runs,
    failed,
    flakyRuns,
    lastRunAt: test.lastRunAt,
    ...withoutUndefined({
      file: test.file,
      device: test.platform,
      app: test.app,
      intermittentRuns,
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
  intermittentRuns: ({ intermittentRuns }) => intermittentRuns,
  p50Ms: ({ p50Ms }) => p50Ms,
  p95Ms: ({ p95Ms }) => p95Ms,
  lastRunAt: ({ lastRunAt }) => isoOf(lastRunAt),
  failingSince: ({ failingSince }) => isoOf(failingSince?.at),
  failingSinceRunId: ({ failingSince }) => failingSince?.runId,
  failingSinceCommitSha: ({ failingSince }) => failingSince?.commitSha,
  lastPassed: ({ lastPassed }) => isoOf(lastPassed?.at),
  lastPassedRunId: ({ lastPassed }) => lastPassed?.runId,
  lastPassedCommitSha: ({ lastPassed }) => lastPassed?.commitSha,
  lastMessage: ({ lastMessage }) => lastMessage,
  quarantined: ({ quarantined }) => quarantined ?? false
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
  message: ({ message }) => message,
  quarantined: ({ quarantined }) => quarantined ?? false
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
      ...(result.outcome === "quarantined" ? { quarantined: true } : {}),
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
  const [added, known, quarantined] = [idsOf(found.new), idsOf(found.known), idsOf(found.quarantined)]
  return {
    source,
    totals,
    new: [...added],
    flakyOnBase: [...found.flakyOnBase].map(([id, results]) => ({ id, ...results })),
    known: [...known],
    quarantined: [...quarantined].filter((id) => !added.has(id) && !known.has(id)),
    flaky: [...idsOf(found.flaky)].filter((id) => !added.has(id) && !known.has(id) && !quarantined.has(id)),
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

/** What the document says of an endpoint that the interface doesn't have. */
const extension = (summary: string, description: string) =>
  OpenApi.annotations({
    summary,
    description: `An extension of the interface. ${description}`,
    override: { "x-slipway-extension": true }
  })

/** Not part of the interface; see docs/history.md. */
export class TestsGroup extends protect(
  ["test_runs"],
  HttpApiGroup.make("tests")
    .add(
      HttpApiEndpoint.get("list", "/tests", {
        query: listTestsQuery,
        success: [TestList, TestTable],
        error: NotFound
      }).annotateMerge(
        extension(
          "List the tests of a repository",
          "Those that ran last first, with numbers over the last 100 results of each. `flaky=true` selects those with a flaky result among them. `limit` defaults to 50 and is clamped to 1–100."
        )
      ),
      HttpApiEndpoint.get("read", "/tests/:id", {
        params: { id: TestId.check(isId("must be the id of a test")) },
        query: readTestQuery,
        success: TestHistoryRecord,
        error: NotFound
      }).annotateMerge(extension("Read the history of a test", "Its last 100 results, newest first.")),
      HttpApiEndpoint.get("readSource", "/sources/:source", {
        params: { source: Name },
        query: readSourceQuery,
        success: SourceRecord,
        error: NotFound
      }).annotateMerge(
        extension(
          "Read which failures of a CI run are new",
          "`source` is percent-encoded. Compared with the last result of each test on the base branch."
        )
      )
    )
    .add(
      HttpApiEndpoint.post("announceImport", "/sources/:source/imports", {
        params: { source: Name },
        payload: AnnounceImportRequest,
        success: ImportsRecord,
        error: NotFound
      }).annotateMerge(
        extension(
          "Announce an import of a CI run, or close it",
          "An import is open until it is sent again with `registeredRuns`. While one is open, or has registered fewer runs than `expectedRuns`, the CI run is incomplete. Repeated, it changes nothing. `source` is percent-encoded. A CI run has at most 300 imports."
        )
      )
    )
    .prefix("/api/v1")
) {}
