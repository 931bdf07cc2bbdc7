/** The page of a repository, its tabs, and its tables as files. */
import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { testColumns, toTestList } from "../../../core/api/tests.ts"
import type { InvalidRequest, NotFound, Unavailable } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import type { TestRunStatus } from "../../../core/model/TestRun.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { testsPerRepository } from "../../../core/service/commits.ts"
import type { Visitor } from "../access/capability.ts"
import { forAccount, latestRuns } from "../session/account.ts"
import { importsAt } from "../ui/charts.ts"
import { spanOf } from "../ui/breaks.ts"
import { ciLines } from "../ui/ciLines.ts"
import { html, type Html } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { type Format, tableFile } from "../ui/tableFile.ts"
import { type Asked, askedBy, type Tab, tabPath, tabs, type TestOrder } from "./asked.ts"
import { buildsTab, previewsTab, settingsTab, testsNotice } from "./uploadsTabs.ts"
import { noHistory, overviewTab } from "./overviewTab.ts"
import { fitsCiRun, runsTab } from "./runsTab.ts"
import { columnsOfMatrix, inOrder, testsOnPage, testsTab } from "./testsTab.ts"

/** How many branches of builds are shown (the latest), and how many builds, previews and CI runs on a page. */
const maxBranches = 50
const buildsOnPage = 20
const previewsOnPage = 30
const ciRunsOnPage = 30
/** How many tests are sorted, those that ran last. */
const maxSorted = 1000

/** A page of a list. An invalid cursor is ignored: the list begins with the newest. */
const pageAfter = <A>(
  cursor: string | undefined,
  list: (cursor: string | undefined) => Effect.Effect<A, NotFound | InvalidRequest | Unavailable>
) => Effect.catchTag(list(cursor), "InvalidRequest", () => list(undefined))

const builds = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const overview = yield* Overview
  const { app, branch, buildsAfter, owner, platform, repo } = asked
  const facts = yield* Effect.all(
    {
      branches: overview.branches(caller, { repository: { owner, repo }, limit: maxBranches }),
      builds: overview.builds(caller, { owner, repo, branch, platform, app, after: buildsAfter, limit: buildsOnPage }),
      now: DateTime.now
    },
    { concurrency: "unbounded" }
  )
  return buildsTab(context.site.base, asked, { ...facts, empty: () => ciLines(context, "builds") })
})

const previews = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const overview = yield* Overview
  const { owner, previewsAfter, repo } = asked
  return previewsTab(
    context.site.base,
    asked,
    () => ciLines(context, "previews"),
    yield* overview.previews(caller, { owner, repo, after: previewsAfter, limit: previewsOnPage, isTestRun: false })
  )
})

const runs = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const histories = yield* TestHistories
  const testRuns = yield* TestRuns
  const { app, branch, ciRunsAfter, kind, owner, pr, repo, runsAfter, source, status } = asked
  const filter = { app, branch, kind, status, source, pr }
  const fits = fitsCiRun(asked)
  const facts = yield* Effect.all(
    {
      history: histories.repository(caller, { owner, repo, branch }),
      ciRuns: pageAfter(ciRunsAfter, (cursor) =>
        histories.ciRuns(caller, { owner, repo, branch, fits, cursor, limit: ciRunsOnPage })
      ),
      runs: pageAfter(runsAfter, (cursor) => testRuns.list(caller, { owner, repo, filter, cursor })).pipe(
        Effect.flatMap(({ nextCursor, runs }) =>
          Effect.map(latestRuns(caller, runs), (tests) => ({ tests, nextCursor, listed: runs.length }))
        )
      )
    },
    { concurrency: "unbounded" }
  )
  const { branches, defaultBranch } = facts.history
  const { ciRuns } = facts.ciRuns
  const newFailures = yield* histories.newFailures(caller, { owner, repo, ciRuns, defaultBranch })
  return runsTab(context.site.base, asked, {
    ...facts,
    branches,
    newFailures,
    now: yield* DateTime.now,
    empty: () => ciLines(context, "runs")
  })
})

const tests = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const histories = yield* TestHistories
  const { sort, status, testsAfter } = asked
  const now = yield* DateTime.now
  const span = spanOf(asked, now)
  const { branch, branches, ciRuns } = yield* histories.repository(caller, {
    ...asked,
    span: span.isChosen ? span : undefined
  })
  const query = { ...testsQuery(asked), branch }
  const sorted = (cursor: string | undefined, order: TestOrder) =>
    Effect.map(
      allOf(maxSorted, (cursor) =>
        Effect.map(histories.list(caller, { ...query, cursor, limit: 100 }), ({ nextCursor, tests }) => ({
          rows: tests,
          next: nextCursor
        }))
      ),
      (tests) => {
        const from = Math.max(0, Math.trunc(Number(cursor)) || 0)
        const to = from + testsOnPage
        const page = tests.toSorted(inOrder[order]).slice(from, to)
        return { tests: page, ...(to < tests.length ? { nextCursor: String(to) } : {}) }
      }
    )
  const page = yield* pageAfter(testsAfter, (cursor) =>
    sort !== undefined
      ? sorted(cursor, sort)
      : status === undefined
        ? brokenFirst(
            (status, cursor, limit) => histories.list(caller, { ...query, status, cursor, limit }),
            cursor,
            testsOnPage
          )
        : histories.list(caller, { ...query, cursor, limit: testsOnPage })
  )
  const found = yield* histories.findEach(
    caller,
    page.tests.map(({ testId }) => testId),
    branch
  )
  return testsTab(context.site.base, asked, {
    branch,
    branches,
    page,
    histories: found,
    ciRuns: ciRuns.slice(0, columnsOfMatrix),
    span,
    empty: () => ciLines(context, "runs")
  })
})

const overview = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const histories = yield* TestHistories
  const now = yield* DateTime.now
  const span = spanOf(asked, now)
  const { history, tests } = yield* Effect.all(
    {
      history: histories.repository(caller, { ...asked, span: span.isChosen ? span : undefined }),
      tests: histories.countTests(caller, asked)
    },
    { concurrency: "unbounded" }
  )
  const { base } = context.site
  const shown = overviewTab({ base, asked, history, now, span })
  if (shown !== undefined) return html`${testsNotice(tests)} ${shown}`
  const instead = caller.scopes.includes("builds")
    ? yield* builds(caller, context, { ...asked, tab: "builds" })
    : undefined
  return html`<div class="stack">${noHistory(base, asked, history, () => ciLines(context, "runs"))} ${instead}</div>`
})

const settings = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const histories = yield* TestHistories
  const { owner, repo } = asked
  return settingsTab(
    context,
    yield* histories.repository(caller, { owner, repo }),
    caller.account.name,
    yield* histories.countTests(caller, asked)
  )
})

/** Each tab, and the scope of what it shows. */
const shownBy = {
  overview: { scope: "test_runs", what: "test runs", show: overview },
  tests: { scope: "test_runs", what: "test runs", show: tests },
  runs: { scope: "test_runs", what: "test runs", show: runs },
  builds: { scope: "builds", what: "builds", show: builds },
  previews: { scope: "preview_upload", what: "previews", show: previews },
  settings: { scope: "test_runs", what: "the settings", show: settings }
} as const

const show = forAccount(
  [],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = askedBy(url)
    const repository = yield* (yield* Overview).repository(caller, asked)
    const { scope, show, what } = shownBy[asked.tab]
    if (caller.scopes.includes(scope)) {
      const file = asked.format && (yield* fileOf(caller, asked, asked.format))
      if (file !== undefined) return file
      return repositoryPage(context, { asked, repository, shown: yield* show(caller, context, asked) })
    }
    // A key for builds sees them at once.
    const instead =
      asked.tab === "overview" && caller.scopes.includes("builds")
        ? yield* builds(caller, context, { ...asked, tab: "builds" })
        : undefined
    return repositoryPage(context, {
      asked,
      repository,
      shown: html`<div class="stack">${missing(scope, what)} ${instead}</div>`
    })
  })
)

export const routes = [HttpRouter.route("GET", "/repositories", show)]

const tabLink = (base: string, asked: Asked, tab: Tab): Html =>
  html`<a href="${tabPath(base, asked, tab, asked.branch)}" ${tab === asked.tab ? html`aria-current="page"` : ""}
    >${tabs[tab]}</a
  >`

/** What a tab shows to a key without the scope that it needs. */
const missing = (scope: string, what: string): Html =>
  html`<p class="card">A key with the scope <code>${scope}</code> sees ${what}.</p>`

/** The page of a repository, with one of its tabs. */
const repositoryPage = (
  context: PageContext,
  { asked, repository, shown }: { readonly asked: Asked; readonly repository: Repository; readonly shown: Html }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const name = `${repository.owner}/${repository.repo}`
  return page(context, {
    title: asked.tab === "overview" ? name : `${tabs[asked.tab]} of ${name}`,
    script: "live",
    styles: ["charts", "repository"],
    main: html`<div class="title of-repository">
        <h1>
          <span class="owner"><bdi>${repository.owner}</bdi>/</span><bdi>${repository.repo}</bdi>
        </h1>
        <nav class="tabs" aria-label="Of this repository">
          ${(["overview", "tests", "runs", "builds", "previews", "settings"] as const).map((tab) => tabLink(base, asked, tab))}
        </nav>
      </div>
      ${shown}`
  })
}

interface Page<A> {
  readonly tests: ReadonlyArray<A>
  readonly nextCursor?: string
}

/**
 * A page of tests of either status, the broken ones first, made of pages of one status each. Its cursor begins with the status whose
 * list it continues.
 */
export const brokenFirst = Effect.fnUntraced(function* <A, E, R>(
  list: (status: TestRunStatus, cursor: string | undefined, limit: number) => Effect.Effect<Page<A>, E, R>,
  cursor: string | undefined,
  limit: number
) {
  const [, status = "failed", after = ""] = /^(failed|passed)\.(.*)$/.exec(cursor ?? "") ?? []
  const isFailed = status === "failed"
  const broken: Page<A> = isFailed ? yield* list("failed", after || undefined, limit) : { tests: [] }
  const { nextCursor, tests } = broken
  if (nextCursor !== undefined) return { tests, nextCursor: `failed.${nextCursor}` }
  if (tests.length === limit) return { tests, nextCursor: "passed." }
  const passing = yield* list("passed", isFailed ? undefined : after || undefined, limit - tests.length)
  return {
    tests: [...tests, ...passing.tests],
    ...(passing.nextCursor === undefined ? {} : { nextCursor: `passed.${passing.nextCursor}` })
  }
})

// The tables of a repository's page as files.

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
  imports: (ciRun: CiRun) => importsAt(ciRun, now)?.state,
  quarantined: ({ quarantined }: CiRun) => quarantined
})

/** Which tests the filters of the tab select. */
const testsQuery = ({ app, device, flaky, owner, repo, status, tag, text }: Asked) => ({
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
const fileOf = Effect.fnUntraced(function* (caller: Visitor, asked: Asked, format: Format) {
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
    Effect.map(
      histories.ciRuns(caller, { owner, repo, branch, fits: fitsCiRun(asked), cursor, limit: 100 }),
      (page) => ({
        rows: page.ciRuns,
        next: page.nextCursor
      })
    )
  )
  return tableFile(format, "ci-runs", ciRunColumns(yield* DateTime.now), rows)
})
