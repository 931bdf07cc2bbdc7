import type { DateTime } from "effect"
import { html, type Html } from "../ui/html.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import type { CiRunPage, NewFailures } from "../../../core/service/TestHistories.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { card, ciRunList, paging, runList } from "../ui/lists.ts"
import { markShapes, outcomes, worstOf } from "../ui/charts.ts"
import { runKinds, runStatuses } from "../ui/facts.ts"
import { tableLinks } from "../ui/tableFile.ts"
import { type Asked, choice, field, filterForm, pathWith, tabMenu, tabPath } from "./asked.ts"

/** A page of runs, without those that a later attempt replaced; `listed` counts these too. */
interface RunsPage {
  readonly tests: ReadonlyArray<Attempts>
  readonly listed: number
  readonly nextCursor: string | undefined
}

/** The CI runs of a repository, and its runs one by one. */
interface RunsFacts {
  readonly branches: ReadonlyArray<BranchOfRuns>
  readonly ciRuns: CiRunPage
  /** How many failures of a CI run are new, as far as they were counted. */
  readonly newFailures: ReadonlyMap<string, NewFailures>
  readonly runs: RunsPage
  readonly now: DateTime.Utc
  /** What an empty list shows. */
  readonly empty: () => Html
}

const isFiltered = ({ app, branch, kind, pr, source, status }: Asked): boolean =>
  [app, branch, kind, pr, source, status].some((filter) => filter !== undefined)

const filters = (base: string, asked: Asked): Html =>
  filterForm(base, asked, {
    fields: [
      choice("kind", "Kind", runKinds, asked.kind),
      choice("status", "Status", runStatuses, asked.status),
      field("source", "Source", asked.source),
      field("pr", "Pull request", asked.pr, html`inputmode="numeric"`),
      field("app", "App", asked.app)
    ],
    isFiltered: isFiltered(asked)
  })

/** Whether a CI run passes the filters; a part of the author's name is enough. */
export const fitsCiRun =
  ({ author, ended, ofPr }: Asked) =>
  (ciRun: CiRun): boolean =>
    (ended === undefined || worstOf(ciRun) === ended) &&
    (author === undefined || ciRun.author?.toLowerCase().includes(author.toLowerCase()) === true) &&
    (ofPr === undefined || ciRun.pr === ofPr)

const isFilteredCi = ({ author, ended, ofPr }: Asked): boolean =>
  [author, ended, ofPr].some((filter) => filter !== undefined)

const ciRunFilters = (base: string, asked: Asked): Html =>
  filterForm(base, asked, {
    fields: [
      choice("ended", "Status", outcomes, asked.ended),
      field("author", "Author", asked.author),
      field("ofPr", "Pull request", asked.ofPr, html`inputmode="numeric"`)
    ],
    isFiltered: isFilteredCi(asked)
  })

const ciRunsCard = (
  base: string,
  asked: Asked,
  { ciRuns: { ciRuns, nextCursor }, empty, newFailures, now }: RunsFacts
): Html =>
  card(
    "ci-runs",
    "CI runs",
    html`${ciRuns.length > 0 || isFilteredCi(asked) || asked.branch !== undefined ? ciRunFilters(base, asked) : ""}
    ${
      ciRuns.length > 0
        ? ciRunList(
            base,
            ciRuns.map((ciRun) => ({ ciRun, repository: asked })),
            { newFailures, now, withRepository: false }
          )
        : nextCursor !== undefined
          ? html`<p>None of these fits.</p>`
          : asked.ciRunsAfter !== undefined
            ? html`<p>No more.</p>`
            : isFilteredCi(asked)
              ? html`<p>No CI run fits these filters. <a href="${tabPath(base, asked, "runs")}">Show all</a></p>`
              : asked.branch === undefined
                ? empty()
                : html`<p>
                    There is no CI run of this branch. <a href="${tabPath(base, asked, "runs")}">Show all branches</a>
                  </p>`
    }
    ${paging(
      "Pages of CI runs",
      asked.ciRunsAfter === undefined ? undefined : pathWith(base, asked, { ciRunsAfter: undefined }),
      nextCursor === undefined ? undefined : pathWith(base, asked, { ciRunsAfter: nextCursor })
    )}
    ${ciRuns.length === 0 ? "" : tableLinks((format) => pathWith(base, asked, { format, ciRunsAfter: undefined }))}`
  )

const runsCard = (base: string, asked: Asked, { runs }: RunsFacts): Html =>
  card(
    "runs",
    "Runs",
    html`<details class="narrowed" ${isFiltered({ ...asked, branch: undefined }) ? "open" : ""}>
        <summary>Filter</summary>
        ${filters(base, asked)}
      </details>
      ${
        runs.tests.length > 0
          ? runList(base, runs.tests, { withRepository: false })
          : runs.listed > 0
            ? html`<p>Later attempts replaced all runs of this page.</p>`
            : asked.runsAfter !== undefined
              ? html`<p>No more.</p>`
              : isFiltered(asked)
                ? html`<p>Nothing matches these filters. <a href="${tabPath(base, asked, "runs")}">Show all</a></p>`
                : html`<p>There are no test runs yet.</p>`
      }
      ${paging(
        "Pages of runs",
        asked.runsAfter === undefined ? undefined : pathWith(base, asked, { runsAfter: undefined }),
        runs.nextCursor === undefined ? undefined : pathWith(base, asked, { runsAfter: runs.nextCursor })
      )}`
  )

/** The CI runs of a repository, and beside them the runs of single tests. */
export const runsTab = (base: string, asked: Asked, facts: RunsFacts): Html =>
  html`${markShapes}
    ${
      facts.branches.length === 0
        ? ""
        : html`<div class="head">
            ${tabMenu(base, asked, { branches: facts.branches, shown: asked.branch, all: true })}
          </div>`
    }
    <div class="columns pair">
      ${ciRunsCard(base, asked, facts)}
      ${facts.branches.length === 0 && facts.runs.listed === 0 && !isFiltered(asked) ? "" : runsCard(base, asked, facts)}
    </div>`
