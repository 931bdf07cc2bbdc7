import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { InvalidRequest, NotFound, Unavailable } from "../../../core/model/Problem.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import type { Visitor } from "../access/capability.ts"
import { forAccount } from "../session/account.ts"
import { latestRuns } from "../session/latestRuns.ts"
import { html } from "../ui/html.ts"
import type { PageContext } from "../ui/layout.ts"
import { ciLines } from "../ui/ciLines.ts"
import { askedBy, type Asked } from "./asked.ts"
import { brokenFirst } from "./brokenFirst.ts"
import { buildsTab } from "./buildsTab.ts"
import { fileOf, testsQuery } from "./files.ts"
import { noHistory, overviewTab } from "./overviewTab.ts"
import { previewsTab } from "./previewsTab.ts"
import { missing, repositoryPage } from "./repositoryPage.ts"
import { runsTab } from "./runsTab.ts"
import { settingsTab, testsNotice } from "./settingsTab.ts"
import { columnsOfMatrix, testsOnPage, testsTab } from "./testsTab.ts"

/** How many branches of builds are shown (the latest), and how many builds, previews and CI runs on a page. */
const mostBranches = 50
const buildsOnPage = 20
const previewsOnPage = 30
const ciRunsOnPage = 30

/** A page of a list. An invalid cursor is ignored: the list begins with the newest. */
const pageAfter = <A>(
  cursor: string | undefined,
  list: (cursor: string | undefined) => Effect.Effect<A, NotFound | InvalidRequest | Unavailable>
) =>
  list(cursor).pipe(
    Effect.catchTag("InvalidRequest", () => list(undefined)),
    Effect.catchTag("InvalidRequest", Effect.die)
  )

const builds = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const overview = yield* Overview
  const { app, branch, buildsAfter, owner, platform, repo } = asked
  const facts = yield* Effect.all(
    {
      branches: overview.branches(caller, { repository: { owner, repo }, limit: mostBranches }),
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
  const facts = yield* Effect.all(
    {
      history: histories.repository(caller, { owner, repo, branch }),
      ciRuns: pageAfter(ciRunsAfter, (cursor) =>
        histories.ciRuns(caller, { owner, repo, branch, cursor, limit: ciRunsOnPage })
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
  const { status, testsAfter } = asked
  const { branch, branches, ciRuns } = yield* histories.repository(caller, asked)
  const query = { ...testsQuery(asked), branch }
  const page = yield* pageAfter(testsAfter, (cursor) =>
    status === undefined
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
    empty: () => ciLines(context, "runs")
  })
})

const overview = Effect.fnUntraced(function* (caller: Visitor, context: PageContext, asked: Asked) {
  const histories = yield* TestHistories
  const { history, tests } = yield* Effect.all(
    { history: histories.repository(caller, asked), tests: histories.countTests(caller, asked) },
    { concurrency: "unbounded" }
  )
  const { base } = context.site
  const shown = overviewTab({ base, asked, history, now: yield* DateTime.now })
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
