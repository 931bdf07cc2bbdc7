import type { Client, TestRun } from "../../client/index.ts"
import { ciRunFilter, sourceParts } from "../../../core/rules/attempts.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { reportOf, type Report } from "./Report.ts"

/** Whose runs are asked for. */
export interface Source {
  readonly owner: string
  readonly repo: string
  readonly source: string
  /** The only app whose runs are asked for. */
  readonly app?: string | undefined
  /** The host's address. */
  readonly url: string
}

/** The page of a CI run lies beside those of its runs; without a run, where the host itself would have it. */
const pageOf = ({ app, owner, repo, source, url }: Source, run: TestRun | undefined): string => {
  const base = run === undefined ? url.replace(/\/+$/, "") : run.traceUrl.replace(/\/runs\/[^/]*$/, "")
  const query = { owner, repo, source: sourceParts(source).ciRun, ...withoutUndefined({ app }) }
  return `${base}/sources?${new URLSearchParams(query)}`
}

/** Asks the host for the runs of every attempt at the CI run that the source names. */
export const readReport = async (client: Client, asked: Source, signal: AbortSignal): Promise<Report> => {
  const { app, owner: org, repo, source } = asked
  const { ciRun } = sourceParts(source)
  const runs: Array<TestRun> = []
  for (let cursor: string | undefined; ;) {
    const query = {
      org,
      repo,
      ...withoutUndefined({ app }),
      ...ciRunFilter(source),
      limit: 100,
      ...(cursor === undefined ? {} : { cursor })
    }
    const { nextCursor, testRuns } = await client.testRuns.list(query, { signal })
    runs.push(
      ...testRuns.filter(
        (run) =>
          run.source !== undefined && sourceParts(run.source).ciRun === ciRun && (app === undefined || run.app === app)
      )
    )
    if (nextCursor === undefined) return reportOf(runs, pageOf(asked, runs[0]), app)
    cursor = nextCursor
  }
}
