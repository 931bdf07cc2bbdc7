import { DateTime } from "effect"
import { html, joinHtml, type Html } from "../ui/html.ts"
import type { CiRun, ListedTest, TestHistory } from "../../../core/model/TestHistory.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { judged, tellingRun } from "../../../core/rules/testResults.ts"
import type { TestPage } from "../../../core/service/TestHistories.ts"
import { paths } from "../access/site.ts"
import { legend, mark, markShapes, outcomes, sparkline, worstOf } from "../ui/charts.ts"
import { chips, paging, testDetails, testLink } from "../ui/lists.ts"
import { tableLinks } from "../ui/tableFile.ts"
import { type Asked, pathWith, tabMenu, tabPath } from "./asked.ts"

/** How many tests are on a page, and of how many CI runs the results. */
export const testsOnPage = 50
export const columnsOfMatrix = 30

/** A page of tests, the broken ones first, and their results in the last CI runs of a branch, newest first. */
interface MatrixFacts {
  readonly branch: string | undefined
  readonly branches: ReadonlyArray<BranchOfRuns>
  readonly page: TestPage
  readonly histories: ReadonlyArray<TestHistory>
  readonly ciRuns: ReadonlyArray<CiRun>
  /** What an empty list shows. */
  readonly empty: () => Html
}

const column = (base: string, { app, owner, repo }: Asked, ciRun: CiRun): Html => {
  const { commitSha, source, startedAt } = ciRun
  const iso = DateTime.formatIso(startedAt)
  const outcome = worstOf(ciRun)
  const text = `${outcomes[outcome]}, ${iso.slice(0, 16).replace("T", " ")} UTC${commitSha === undefined ? "" : `, ${commitSha.slice(0, 7)}`}`
  const drawn = html`${mark(outcome)}<span class="unseen">${text}</span>`
  return html`<th scope="col">
    ${source === undefined ? html`<span class="cell" title="${text}">${drawn}</span>` : html`<a class="cell" href="${base + paths.source({ owner, repo }, source, app)}" title="${text}">${drawn}</a>`}
  </th>`
}

const row = (
  base: string,
  test: ListedTest,
  history: TestHistory | undefined,
  { branch, ciRuns }: MatrixFacts
): Html => {
  const results = new Map(judged(history?.results ?? []).map((result) => [result.ciRun, result]))
  const drawn = ciRuns.toReversed().map(({ ciRun }) => {
    const result = results.get(ciRun)
    return result === undefined
      ? html`<td></td>`
      : html`<td>
          <a class="cell" href="${base + paths.run(tellingRun(result).runId)}" title="${outcomes[result.outcome]}"
            >${mark(result.outcome)}<span class="unseen">${outcomes[result.outcome]}</span></a
          >
        </td>`
  })
  return html`<tr>
    <th scope="row">
      ${testLink(base, test, branch)} <span class="type">${joinHtml(testDetails(test), " · ")}</span>
      ${sparkline(test.summary.recent)}
    </th>
    ${drawn}
  </tr>`
}

const matrix = (base: string, asked: Asked, facts: MatrixFacts): Html => {
  const histories = new Map(facts.histories.map((history) => [history.testId, history]))
  return html`<div class="matrix" tabindex="0" role="region" aria-label="Tests by CI runs">
    <table>
      <thead>
        <tr>
          <th scope="col">Test</th>
          ${facts.ciRuns.toReversed().map((ciRun) => column(base, asked, ciRun))}
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
const textForm = (base: string, { app, branch, device, flaky, owner, repo, status, tag, text }: Asked): Html =>
  html`<form class="branch text" method="get" action="${base}/repositories" aria-label="Filter">
    ${Object.entries({ owner, repo, tab: "tests", branch, status, flaky }).map(([name, value]) =>
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

const title = (ciRuns: number): string =>
  ciRuns === 0 ? "Tests" : ciRuns === 1 ? "Tests in the only CI run" : `Tests in the last ${ciRuns} CI runs`

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
      <h2 id="tests">${title(ciRuns.length)}</h2>
      ${page.tests.length > 0 || isFiltered ? textForm(base, asked) : ""}
      ${
        page.tests.length > 0
          ? html`${legend()} ${matrix(base, asked, facts)}`
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
        page.nextCursor === undefined ? undefined : pathWith(base, asked, { testsAfter: page.nextCursor })
      )}
      ${page.tests.length === 0 ? "" : tableLinks((format) => pathWith(base, asked, { format, testsAfter: undefined }))}
    </section>`
}
