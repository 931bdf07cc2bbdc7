import type { DateTime } from "effect"
import { counted } from "../ui/words.ts"
import { html, joinHtml, type Html } from "../ui/html.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { sourceParts } from "../../../core/rules/attempts.ts"
import type { CiRunPage, NewFailures } from "../../../core/service/TestHistories.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { paths } from "../access/site.ts"
import { card, paging, runList } from "../ui/lists.ts"
import { importsAt, incompletePill, mark, markShapes, worstOf } from "../ui/charts.ts"
import { code, commitTitle, runKinds, runStatuses } from "../ui/facts.ts"
import { tableLinks, withFormat } from "../ui/tableFile.ts"
import { durationText, shortText, timeHtml } from "../ui/text.ts"
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

const results = (ciRun: CiRun, newFailures: NewFailures | undefined, now: DateTime.Utc): Html => {
  const counts = [
    { outcome: "failed", count: ciRun.failed },
    { outcome: "quarantined", count: ciRun.quarantined },
    { outcome: "flaky", count: ciRun.flaky },
    { outcome: "passed", count: ciRun.passed }
  ] as const
  return html`<span class="results">
    ${incompletePill(importsAt(ciRun, now))}
    ${counts.map(({ count, outcome }) =>
      count === 0 ? "" : html`<span class="pill ${outcome}">${count} ${outcome}</span> `
    )}
    ${
      newFailures === undefined
        ? ""
        : html`${newFailures.added === 0 ? html`<span class="type">no new failures</span>` : html`<strong>${counted(newFailures.added, "new failure")}</strong>`}
          ${newFailures.flakyOnBase === 0 ? "" : html`<span class="type">${newFailures.flakyOnBase} new, but flaky</span>`}`
    }
  </span>`
}

const ciRunItem = (
  base: string,
  asked: Asked,
  ciRun: CiRun,
  { newFailures, now }: Pick<RunsFacts, "newFailures" | "now">
): Html => {
  const { author, branch, commitMessage, commitSha, durationMs, pr, source, startedAt } = ciRun
  const title = commitTitle(commitMessage, 80)
  const number = source === undefined ? `Commit ${commitSha?.slice(0, 7) ?? ""}` : sourceParts(source).ciRun
  const details = [
    ...(author === undefined ? [] : [html`<bdi>${shortText(author, 60)}</bdi>`]),
    ...(branch === undefined ? [] : [html`<bdi>${shortText(branch, 60)}</bdi>`]),
    ...(commitSha === undefined || source === undefined ? [] : [code(commitSha.slice(0, 7))]),
    ...(pr === undefined ? [] : [html`<span class="unbroken">#${pr}</span>`]),
    html`<span class="unbroken">${durationText(durationMs)}</span>`,
    timeHtml(startedAt),
    ...(title === undefined ? [] : [html`<bdi>${shortText(number, 80)}</bdi>`])
  ]
  const text = html`<span class="name">${mark(worstOf(ciRun))} <bdi>${title ?? shortText(number, 80)}</bdi></span>
    <span class="type">${joinHtml(details, " · ")}</span>`
  return html`<li>
    ${source === undefined ? html`<span>${text}</span>` : html`<a href="${base + paths.source(asked, source)}">${text}</a>`}
    ${results(ciRun, newFailures.get(ciRun.ciRun), now)}
  </li>`
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

const ciRunsCard = (
  base: string,
  asked: Asked,
  { ciRuns: { ciRuns, nextCursor }, empty, newFailures, now }: RunsFacts
): Html =>
  card(
    "ci-runs",
    "CI runs",
    html`${
      ciRuns.length > 0
        ? html`<ul class="list">
            ${ciRuns.map((ciRun) => ciRunItem(base, asked, ciRun, { newFailures, now }))}
          </ul>`
        : asked.ciRunsAfter !== undefined
          ? html`<p>No more.</p>`
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
    ${ciRuns.length === 0 ? "" : tableLinks((format) => withFormat(tabPath(base, asked, "runs", asked.branch), format))}`
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
