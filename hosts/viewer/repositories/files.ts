/** The tables of a repository's page as files. */
import { DateTime, Effect } from "effect"
import { testColumns, toTestList } from "../../../core/api/tests.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import { testsPerRepository } from "../../../core/service/commits.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import type { Visitor } from "../access/capability.ts"
import { importsAt } from "../ui/charts/marks.ts"
import { tableFile, type Format } from "../ui/tableFile.ts"
import type { Asked } from "./asked.ts"

/** How many CI runs a file has at most, the newest. */
const ciRunsInFile = 1000

/** The columns of CI runs in a table. */
const ciRunColumns = (now: DateTime.Utc) => ({
  source: ({ source }: CiRun) => source,
  branch: ({ branch }: CiRun) => branch,
  commitSha: ({ commitSha }: CiRun) => commitSha,
  pr: ({ pr }: CiRun) => pr,
  commitMessage: ({ commitMessage }: CiRun) => commitMessage,
  author: ({ author }: CiRun) => author,
  startedAt: ({ startedAt }: CiRun) => DateTime.formatIso(startedAt),
  passed: ({ passed }: CiRun) => passed,
  failed: ({ failed }: CiRun) => failed,
  flaky: ({ flaky }: CiRun) => flaky,
  runs: ({ runs }: CiRun) => runs,
  durationMs: ({ durationMs }: CiRun) => durationMs,
  imports: (ciRun: CiRun) => importsAt(ciRun, now)?.state
})

/** Which tests the filters of the tab select. */
export const testsQuery = ({ app, device, flaky, owner, repo, status, tag, text }: Asked) => ({
  owner,
  repo,
  status,
  text,
  tag,
  device,
  app,
  flaky: flaky !== undefined
})

/** The rows of all pages of a list, at most as many. */
const allOf = Effect.fnUntraced(function* <A, E, R>(
  most: number,
  page: (
    cursor: string | undefined
  ) => Effect.Effect<{ readonly rows: ReadonlyArray<A>; readonly next?: string | undefined }, E, R>
) {
  const all: Array<A> = []
  let cursor: string | undefined
  do {
    const { next, rows } = yield* page(cursor)
    all.push(...rows)
    cursor = next
  } while (cursor !== undefined && all.length < most)
  return all
})

/** The table of a tab as a file: all tests that its filters select, or the newest CI runs. */
export const fileOf = Effect.fnUntraced(
  function* (caller: Visitor, asked: Asked, format: Format) {
    const histories = yield* TestHistories
    const { branch, owner, repo } = asked
    if (asked.tab === "tests") {
      const { branch } = yield* histories.repository(caller, asked)
      const rows = yield* allOf(testsPerRepository, (cursor) =>
        Effect.map(histories.list(caller, { ...testsQuery(asked), branch, cursor, limit: 100 }), (page) => ({
          rows: toTestList(page).tests,
          next: page.nextCursor
        }))
      )
      return tableFile(format, "tests", testColumns, rows)
    }
    if (asked.tab !== "runs") return undefined
    const rows = yield* allOf(ciRunsInFile, (cursor) =>
      Effect.map(histories.ciRuns(caller, { owner, repo, branch, cursor, limit: 100 }), (page) => ({
        rows: page.ciRuns,
        next: page.nextCursor
      }))
    )
    return tableFile(format, "ci-runs", ciRunColumns(yield* DateTime.now), rows)
  },
  Effect.catchTag("InvalidRequest", Effect.die)
)
