import type { Client, TestRun } from "../../client/index.ts"
import { ciRunFilter, sourceParts } from "../../../core/rules/attempts.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { isIncomplete, withExpected } from "../../../core/rules/imports.ts"
import { unlessTooOld } from "../settings/refusal.ts"
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
  /** How many imports the CI run has, where that is known. */
  readonly expectedImports?: number | undefined
}

/** The page of a CI run lies beside those of its runs; without a run, where the host itself would have it. */
const pageOf = ({ app, owner, repo, source, url }: Source, run: TestRun | undefined): string => {
  const base = run === undefined ? url.replace(/\/+$/, "") : run.traceUrl.replace(/\/runs\/[^/]*$/, "")
  const query = { owner, repo, source: sourceParts(source).ciRun, ...withoutUndefined({ app }) }
  return `${base}/sources?${new URLSearchParams(query)}`
}

/** Asks the host for the runs of every attempt at the CI run that the source names. */
export const readReport = async (client: Client, asked: Source, signal: AbortSignal): Promise<Report> => {
  const { app, expectedImports, owner: org, repo, source } = asked
  const { ciRun } = sourceParts(source)
  const readImports = async () =>
    withExpected(
      (await client.sources.read(source, { org, repo, ...withoutUndefined({ app }) }, { signal }).catch(unlessTooOld))
        ?.imports,
      expectedImports
    )
  // Runs may be registered, and an import opened, while the list is read: what counts is complete before and after.
  const before = await readImports()
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
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  const imports = isIncomplete(before) ? before : await readImports()
  return reportOf(runs, { app, imports, url: pageOf(asked, runs[0]) })
}
