import { DateTime } from "effect"
import { html, joinHtml, type Html, durationText } from "../ui/html.ts"
import type { CiRun, ListedTest, TestHistory, TestSummary } from "../../../core/model/TestHistory.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { failedInQuarantine } from "../../../core/rules/testHistory.ts"
import { flakyRate, judged, type JudgedResult, tellingRun } from "../../../core/rules/testResults.ts"
import type { TestPage } from "../../../core/service/TestHistories.ts"
import { paths } from "../access/site.ts"
import { legend, mark, markShapes, outcomes, sparkline, worstOf } from "../ui/charts.ts"
import type { Span } from "../ui/breaks.ts"
import { pill } from "../ui/facts.ts"
import { chips, momentHtml, paging, percentText, testDetails, testLink, testName } from "../ui/lists.ts"
import { tableLinks } from "../ui/tableFile.ts"
import { type Asked, pathWith, tabMenu, tabPath, tabSpans, type TestOrder, testOrders } from "./asked.ts"

/** How many tests are on a page, and of how many CI runs the results. */
export const testsOnPage = 50
export const columnsOfMatrix = 30
/** How many of them are shown on narrow screens, the newest. */
const columnsIfNarrow = 18

/** A page of tests, the broken ones first, and their results in the last CI runs of a branch, newest first. */
interface MatrixFacts {
  readonly span: Span
  readonly branch: string | undefined
  readonly branches: ReadonlyArray<BranchOfRuns>
  readonly page: TestPage
  readonly histories: ReadonlyArray<TestHistory>
  readonly ciRuns: ReadonlyArray<CiRun>
  /** What an empty list shows. */
  readonly empty: () => Html
}

/** The class of a column that is hidden on narrow screens; columns are oldest first. */
const oldIf = (at: number, { length }: ReadonlyArray<CiRun>): Html | "" =>
  at < length - columnsIfNarrow ? html`class="old"` : ""

const column = (base: string, { app, owner, repo }: Asked, ciRun: CiRun, old: Html | ""): Html => {
  const { commitSha, source, startedAt } = ciRun
  const iso = DateTime.formatIso(startedAt)
  const outcome = worstOf(ciRun)
  const text = `${outcomes[outcome]}, ${iso.slice(0, 16).replace("T", " ")} UTC${commitSha === undefined ? "" : `, ${commitSha.slice(0, 7)}`}`
  const drawn = html`<span class="when" aria-hidden="true"
      >${iso.slice(5, 10)}${commitSha === undefined ? "" : html` <code>${commitSha.slice(0, 7)}</code>`}</span
    >${mark(outcome)}<span class="unseen">${text}</span>`
  return html`<th scope="col" ${old}>
    ${source === undefined ? html`<span class="cell" title="${text}">${drawn}</span>` : html`<a class="cell" href="${base + paths.source({ owner, repo }, source, app)}" title="${text}">${drawn}</a>`}
  </th>`
}

const failureRate = ({ failed, runs }: TestSummary): number => failed / runs

const lastFailure = ({ failingSince, lastFailed }: TestSummary): number => (lastFailed ?? failingSince)?.at ?? 0

type Compare = (a: ListedTest, b: ListedTest) => number

const largest =
  (of: (summary: TestSummary) => number): Compare =>
  (a, b) =>
    of(b.summary) - of(a.summary) || byName(a, b)

const byName: Compare = (a, b) => testName(a).localeCompare(testName(b), "en") || (a.testId < b.testId ? -1 : 1)

/** The orders of tests. */
export const inOrder: Readonly<Record<TestOrder, Compare>> = {
  name: byName,
  failed: largest(failureRate),
  flaky: largest(flakyRate),
  p50: largest(({ p50Ms = -1 }) => p50Ms),
  last: largest(lastFailure)
}

const orders: Readonly<Record<TestOrder, string>> = {
  name: "Test",
  failed: "Failed",
  flaky: "Flaky",
  p50: "p50",
  last: "Last failure"
}

/** The heading of a column, as a link that sorts by it, or back to the broken tests first. */
const sortable = (base: string, asked: Asked, order: TestOrder): Html => {
  const isSorted = asked.sort === order
  const path = pathWith(base, asked, { sort: isSorted ? undefined : order, testsAfter: undefined })
  return html`<th
    scope="col"
    class="number"
    ${isSorted ? html`aria-sort="${order === "name" ? "ascending" : "descending"}"` : ""}
  >
    <a href="${path}">${orders[order]}${isSorted ? (order === "name" ? " ▲" : " ▼") : ""}</a>
  </th>`
}

/** The orders as links, where the table has no columns. */
const orderLinks = (base: string, asked: Asked): Html =>
  html`<div class="orders">
    ${chips(
      "Order",
      ([undefined, ...testOrders] as const).map((order) => ({
        label: order === undefined ? "Broken first" : orders[order],
        path: pathWith(base, asked, { sort: order, testsAfter: undefined }),
        isShown: asked.sort === order
      }))
    )}
  </div>`

/** A number of a row, with its name where the table has no columns. */
const number = (order: TestOrder, value: Html | string): Html =>
  html`<td class="number"><span class="in-row">${orders[order]} </span>${value}</td>`

const numbersOf = (base: string, { summary }: ListedTest, results: ReadonlyArray<JudgedResult>): Html => {
  const [failed, flaky] = [failureRate(summary), flakyRate(summary)]
  const lastFailed = results.find(({ status }) => status === "failed")
  const last = lastFailed && tellingRun(lastFailed)
  return html`${number("failed", failed === 0 ? "–" : percentText(failed))}
  ${number("flaky", flaky === 0 ? "–" : percentText(flaky))}
  ${number("p50", summary.p50Ms === undefined ? "–" : durationText(summary.p50Ms))}
  ${number("last", last === undefined ? "–" : html`<a href="${base + paths.run(last.runId)}">${momentHtml(last.at)}</a>`)}`
}

const row = (
  base: string,
  test: ListedTest,
  history: TestHistory | undefined,
  { branch, ciRuns }: MatrixFacts
): Html => {
  const all = judged(history?.results ?? [])
  const results = new Map(all.map((result) => [result.ciRun, result]))
  const drawn = ciRuns.toReversed().map(({ ciRun }, at) => {
    const result = results.get(ciRun)
    return result === undefined
      ? html`<td ${oldIf(at, ciRuns)}></td>`
      : html`<td ${oldIf(at, ciRuns)}>
          <a class="cell" href="${base + paths.run(tellingRun(result).runId)}" title="${outcomes[result.outcome]}"
            >${mark(result.outcome)}<span class="unseen">${outcomes[result.outcome]}</span></a
          >
        </td>`
  })
  return html`<tr>
    <th scope="row">
      ${testLink(base, test, branch)} ${failedInQuarantine(test) ? pill("quarantined", "Quarantined") : ""}
      <span class="type">${joinHtml(testDetails(test), " · ")}</span>
      ${sparkline(test.summary.recent)}
    </th>
    ${numbersOf(base, test, all)} ${drawn}
  </tr>`
}

const matrix = (base: string, asked: Asked, facts: MatrixFacts): Html => {
  const histories = new Map(facts.histories.map((history) => [history.testId, history]))
  return html`<div class="matrix" tabindex="0" role="region" aria-label="Tests by CI runs">
    <table>
      <thead>
        <tr>
          ${testOrders.map((order) => sortable(base, asked, order))}
          ${facts.ciRuns.toReversed().map((ciRun, at) => column(base, asked, ciRun, oldIf(at, facts.ciRuns)))}
        </tr>
      </thead>
      <tbody>
        ${facts.page.tests.map((test) => row(base, test, histories.get(test.testId), facts))}
      </tbody>
    </table>
  </div>`
}

/** Which tests of the branch are shown, as links. */
const statusLinks = (base: string, asked: Asked): Html => {
  const options = [
    { label: "All", change: { status: undefined, flaky: undefined } },
    { label: "Broken", change: { status: "failed", flaky: undefined } },
    { label: "Passing", change: { status: "passed", flaky: undefined } },
    { label: "Flaky", change: { status: undefined, flaky: "yes" } }
  ] as const
  return chips(
    "Which tests",
    options.map(({ change, label }) => ({
      label,
      path: pathWith(base, asked, { ...change, testsAfter: undefined }),
      isShown: change.status === asked.status && change.flaky === asked.flaky
    }))
  )
}

const searchField = (name: string, label: string, value: string | undefined): Html =>
  html`<span class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" type="search" name="${name}" value="${value ?? ""}" maxlength="1024" autocomplete="off" />
  </span>`

/** Finds tests by a part of their name, file, platform or app, and by a tag, a device and an app, among those that the links select. */
const textForm = (base: string, { app, branch, device, flaky, owner, repo, sort, status, tag, text }: Asked): Html =>
  html`<form class="branch text" method="get" action="${base}/repositories" aria-label="Filter">
    ${Object.entries({ owner, repo, tab: "tests", branch, status, flaky, sort }).map(([name, value]) =>
      value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}" />`
    )}
    ${searchField("text", "Name, file, platform or app", text)}
    <button class="quiet">Filter</button>
    <details ${tag === undefined && device === undefined && app === undefined ? "" : "open"}>
      <summary>Tag, device and app</summary>
      ${searchField("tag", "Tag", tag)} ${searchField("device", "Device name", device)}
      ${searchField("app", "App", app)}
    </details>
  </form>`

const title = (ciRuns: number, span: Span): string =>
  ciRuns === 0
    ? "Tests"
    : ciRuns === 1
      ? "Tests in one CI run"
      : `Tests in ${span.isChosen ? "" : "the last "}${ciRuns} CI runs${span.isChosen ? ` ${span.text}` : ""}`

/** Every test of a branch, with its result in each of the last CI runs. */
export const testsTab = (base: string, asked: Asked, facts: MatrixFacts): Html => {
  const { branch, branches, ciRuns, empty, page } = facts
  const filters = ["status", "flaky", "text", "tag", "device", "app"] as const
  const isFiltered = filters.some((name) => asked[name] !== undefined)
  return html`${markShapes}
    ${
      branches.length === 0 && !isFiltered
        ? ""
        : html`<div class="head">
            ${statusLinks(base, asked)}
            ${branches.length === 0 ? "" : tabMenu(base, asked, { branches, shown: branch, all: false })}
          </div>`
    }
    <section class="card" aria-labelledby="tests">
      <h2 id="tests">${title(ciRuns.length, facts.span)}</h2>
      ${page.tests.length > 0 || isFiltered ? html`${textForm(base, asked)} ${tabSpans(base, asked, "Last CI runs")}` : ""}
      ${
        page.tests.length > 0
          ? html`${legend("Numbers count the last 100 results.", page.tests.some(({ summary }) => summary.recent.includes("q")) ? ["quarantined"] : [])}
            ${orderLinks(base, asked)} ${matrix(base, asked, facts)}`
          : asked.testsAfter !== undefined
            ? html`<p>No more.</p>`
            : isFiltered
              ? html`<p>
                  No test matches this filter.
                  <a href="${tabPath(base, asked, "tests", asked.branch)}">Show all</a>
                </p>`
              : asked.branch === undefined
                ? empty()
                : html`<p>
                    No test ran on this branch. <a href="${tabPath(base, asked, "tests")}">Show the default branch</a>
                  </p>`
      }
      ${paging(
        "Pages of tests",
        asked.testsAfter === undefined ? undefined : pathWith(base, asked, { testsAfter: undefined }),
        page.nextCursor === undefined ? undefined : pathWith(base, asked, { testsAfter: page.nextCursor }),
        { first: "First page", next: "Next page" }
      )}
      ${page.tests.length === 0 ? "" : tableLinks((format) => pathWith(base, asked, { format, testsAfter: undefined }))}
    </section>`
}
