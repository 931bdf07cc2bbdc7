/** The page of a CI run. */
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { Name } from "../../../core/model/Text.ts"
import { groupedBy, sourceParts } from "../../../core/rules/attempts.ts"
import { flakyOnBaseText } from "../../../core/rules/amounts.ts"
import { missingTexts } from "../../../core/rules/imports.ts"
import { isFlakyTest } from "../../../core/rules/testResults.ts"
import { testIdOf } from "../../../core/rules/testRuns.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { type CiRunFailures, TestHistories } from "../../../core/service/TestHistories.ts"
import { type Attempts, type CiRun, TestRuns } from "../../../core/service/TestRuns.ts"
import { paths } from "../access/site.ts"
import { forAccount } from "../session/account.ts"
import { incompletePill, mark, markShapes } from "../ui/charts.ts"
import { ciLines } from "../ui/ciLines.ts"
import { code, commitTitle, diffLink, gitParts, platforms, repositoryHtml, repositoryStep } from "../ui/facts.ts"
import { html, type Html, joinHtml, durationText, shortText, timeHtml } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { chips, commitHtml, groupedRuns, momentHtml, runName } from "../ui/lists.ts"
import { appsOfCommit, type CommitApp, wantedBy } from "./runs.ts"

const isName = Schema.is(Name)

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const [owner, repo, source, base] = ["owner", "repo", "source", "base"].map((name) => query.get(name) ?? "")
    const app = query.get("app") || undefined
    if (owner === undefined || repo === undefined || source === undefined || source === "")
      return yield* NotFound.default
    const repository = yield* (yield* Overview).repository(caller, { owner, repo })
    const { failures, run } = yield* Effect.all(
      {
        run: (yield* TestRuns).ciRun(caller, { owner, repo, source }),
        // A CI run without runs has no failures to compare.
        failures: (yield* TestHistories)
          .failures(caller, { owner, repo, source, app, base: isName(base) ? base : undefined })
          .pipe(Effect.catchTag("NotFound", () => Effect.undefined))
      },
      { concurrency: "unbounded" }
    )
    // A CI run without runs is known if an import of it was announced.
    if (run.tests.length === 0 && failures === undefined) return yield* NotFound.default
    const shown = run.tests.map(([{ run }]) => run).filter((one) => app === undefined || one.app === app)
    const wanted = [...new Map(shown.map(wantedBy).map((one) => [JSON.stringify(one), one])).values()]
    const [first] = shown
    const apps =
      first === undefined
        ? []
        : yield* appsOfCommit(
            caller,
            { branch: first.branch, commitSha: first.commitSha, owner, repo },
            wanted.slice(0, maxApps)
          )
    return sourcePage(context, { repository, source, app, apps, ...run, failures })
  })
)

/** How many apps and platforms a page looks up the builds of. */
const maxApps = 8

export const routes = [HttpRouter.route("GET", "/sources", show)]

/** The tests of a repository in the CI run that a source names, and which of its failures are new. */
interface TestsOfSource extends CiRun {
  readonly repository: Repository
  readonly source: string
  /** The only app whose tests are shown; those of all if it is `undefined`. */
  readonly app: string | undefined
  /** What was uploaded of its commit. */
  readonly apps: ReadonlyArray<CommitApp>
  readonly failures: CiRunFailures | undefined
}

/** Tests under a heading. */
interface Group {
  readonly id: string
  readonly title: Html
  readonly outcome: "failed" | "quarantined" | "flaky" | "passed"
  readonly note?: Html
  readonly tests: ReadonlyArray<RunsOfTest>
  /** What is said of each test. */
  readonly noteOf?: (test: Attempts) => string | undefined
}

/** The runs of one test in a CI run, on each of its devices. */
type RunsOfTest = ReadonlyArray<Attempts>

const hasFailed = (test: RunsOfTest): boolean =>
  test.some(([{ run }]) => run.status === "failed" && run.quarantined !== true)
const isQuarantined = (test: RunsOfTest): boolean =>
  !hasFailed(test) && test.some(([{ run }]) => run.quarantined === true)
const isFlaky = (test: RunsOfTest): boolean =>
  !hasFailed(test) && !isQuarantined(test) && test.some((attempts) => isFlakyTest(attempts.map(({ run }) => run)))

/** What people look for first. Each test is in one group: it failed if its latest attempt failed on any device. */
const groupsOf = ({ failures, tests }: TestsOfSource): ReadonlyArray<Group> => {
  const all = Array.from(groupedBy(tests, ([{ run }]) => testIdOf(run)).values())
  const failed = all.filter(hasFailed)
  const base = failures?.base
  const others: ReadonlyArray<Group> = [
    {
      id: "quarantined",
      title: html`Quarantined`,
      outcome: "quarantined",
      note: html`These tests failed in quarantine. They are left out of the conclusion.`,
      tests: all.filter(isQuarantined)
    },
    { id: "flaky", title: html`Flaky`, outcome: "flaky", tests: all.filter(isFlaky) },
    {
      id: "passed",
      title: html`Passed`,
      outcome: "passed",
      tests: all.filter((test) => !hasFailed(test) && !isQuarantined(test) && !isFlaky(test))
    }
  ]
  if (base === undefined) return [{ id: "failed", title: html`Failed`, outcome: "failed", tests: failed }, ...others]
  const known = new Set(failures?.known.map(([{ run }]) => run.id))
  const isKnown = (test: RunsOfTest): boolean => test.some(([{ run }]) => known.has(run.id))
  const isNew = (test: RunsOfTest): boolean => !isKnown(test)
  const unstable = ([{ run }]: Attempts) => failures?.flakyOnBase.get(testIdOf(run))
  const isUnstable = (test: RunsOfTest): boolean => test.some((attempts) => unstable(attempts) !== undefined)
  const branch = code(shortText(base, 60))
  // A CI run of the base branch is compared with the one before.
  const isBase = failures?.ciRun.branch === base
  return [
    {
      id: "new",
      title: html`New failures`,
      outcome: "failed",
      note: isBase ? html`These tests did not fail before on ${branch}.` : html`These tests don't fail on ${branch}.`,
      tests: failed.filter((test) => isNew(test) && !isUnstable(test))
    },
    {
      id: "new-but-flaky",
      title: html`New, but flaky on ${branch}`,
      outcome: "failed",
      note: html`These tests passed last on ${branch}, but fail there now and then. This change may not be the cause.`,
      tests: failed.filter((test) => isNew(test) && isUnstable(test)),
      noteOf: (test) => {
        const results = unstable(test)
        return results && flakyOnBaseText(shortText(base, 60), results)
      }
    },
    {
      id: "known",
      title: isBase ? html`Known failures` : html`Known on ${branch}`,
      outcome: "failed",
      note: isBase ? html`These tests failed before on ${branch}.` : html`These tests fail on ${branch} too.`,
      tests: failed.filter(isKnown)
    },
    ...others
  ]
}

const pill = (outcome: Group["outcome"], tests: Group["tests"]): Html =>
  html`<span class="pill ${tests.length === 0 ? "zero" : outcome}">${tests.length} ${outcome}</span> `

/** How many passed tests are shown at once. */
const mostPassed = 50

/** Many passed tests are in a closed part, so that they don't make the page long. */
const foldedIfLong = (outcome: Group["outcome"], tests: number, list: Html): Html =>
  outcome !== "passed" || tests <= mostPassed
    ? list
    : html`<details class="digests">
        <summary>Show ${tests} passed tests</summary>
        ${list}
      </details>`

/** Branch, commit, pull request, author, duration and start. */
const provenance = (repository: Repository, { ciRun, totals }: CiRunFailures): Html =>
  html`<p class="at">
    ${joinHtml(
      // The title is the heading.
      [
        ...gitParts(repository, { ...ciRun, commitMessage: undefined }),
        html`${durationText(totals.durationMs)}`,
        timeHtml(ciRun.startedAt)
      ],
      " · "
    )}
  </p>`

/** Since when a test fails on the base branch, and what changed and what looks different since its last pass there. */
const causeLinks = (
  base: string,
  repository: Repository,
  { breaks, ciRun }: CiRunFailures,
  [{ run }]: Attempts
): Html | undefined => {
  const found = run.status === "failed" ? breaks.get(testIdOf(run)) : undefined
  if (found === undefined) return undefined
  const { failingSince, lastPassed } = found
  const diff = diffLink(repository, lastPassed?.commitSha, (failingSince ?? ciRun).commitSha)
  const links = [
    ...(failingSince === undefined
      ? []
      : [html`Broken since ${commitHtml(failingSince, repository)}, ${momentHtml(failingSince.at)}`]),
    ...(lastPassed === undefined
      ? []
      : [
          html`<a href="${base + paths.compare(lastPassed.runId, run.id)}"
            >Compare with the last pass<span class="unseen"> of <bdi>${shortText(runName(run), 60)}</bdi></span></a
          >`
        ]),
    ...(diff === undefined ? [] : [diff])
  ]
  return links.length === 0 ? undefined : html`<span class="type earlier">${joinHtml(links, " · ")}</span>`
}

const appName = ({ app, name, platform }: CommitApp): string =>
  [app, platform && platforms[platform], name].filter((part) => part !== undefined).join(" ")

/** Links to the builds of the CI run's commit, or to its previews. */
const commitApps = (base: string, apps: ReadonlyArray<CommitApp>): Html | "" => {
  const links = apps
    .map((one) => ({ path: base + one.path, label: appName(one) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, "en"))
    .map(({ label, path }) => html`<a href="${path}"><bdi>${label}</bdi></a>`)
  return links.length === 0 ? "" : html`<p class="at">Open the ${joinHtml(links, " · ")}</p>`
}

/** Links to the tests of each app of the CI run, where there is one. */
const appLinks = (base: string, { app, repository, source, tests }: TestsOfSource): Html | "" => {
  const apps = [...new Set([app, ...tests.map(([{ run }]) => run.app)].filter((one) => one !== undefined))].toSorted()
  return apps.length === 0
    ? ""
    : html`<div class="head">
        ${chips(
          "Which app",
          [undefined, ...apps].map((one) => ({
            label: one ?? "All apps",
            path: base + paths.source(repository, source, one),
            isShown: one === app
          }))
        )}
      </div>`
}

/** Every test of one source, such as a workflow run of CI with all its shards and attempts: how many failed, and which. */
const sourcePage = (context: PageContext, all: TestsOfSource): HttpServerResponse.HttpServerResponse => {
  const { app, failures, isWhole, repository, source } = all
  const tests = app === undefined ? all.tests : all.tests.filter(([{ run }]) => run.app === app)
  const facts = { ...all, tests }
  const { base } = context.site
  const { ciRun } = sourceParts(source)
  const title = commitTitle(failures?.ciRun.commitMessage, 160)
  const groups = groupsOf(facts)
  const missing = missingTexts(failures?.imports)
  const linksOf = (test: Attempts) =>
    failures === undefined ? undefined : causeLinks(base, repository, failures, test)
  const ending = (outcome: Group["outcome"]) =>
    groups.filter((group) => group.outcome === outcome).flatMap((group) => group.tests)
  return page(context, {
    title: shortText(`${title ?? ciRun}${app === undefined ? "" : ` (${app})`}`, 60),
    script: "live",
    styles: ["charts"],
    trail: [repositoryStep(repository)],
    main: html`${markShapes}
      <div class="title">
        <h1>${title === undefined ? code(shortText(ciRun, 160)) : html`<bdi>${title}</bdi>`}</h1>
        <p class="at">
          ${incompletePill(failures?.imports)}${(["failed", "quarantined", "flaky", "passed"] as const).map((outcome) =>
            outcome === "quarantined" && ending(outcome).length === 0 ? "" : pill(outcome, ending(outcome))
          )}
          of ${repositoryHtml(repository)}${title === undefined ? "" : html` · ${code(shortText(ciRun, 60))}`}
        </p>
        ${failures === undefined ? "" : provenance(repository, failures)} ${commitApps(base, all.apps)}
        ${
          missing.length === 0
            ? ""
            : html`<div class="notice">
                <p>Not complete, so this CI run is not a success:</p>
                <ul>
                  ${missing.map((text) => html`<li><bdi>${text}</bdi></li>`)}
                </ul>
              </div>`
        }
        ${isWhole ? "" : html`<p class="notice">These are the newest ${all.tests.flat().length} runs; there are more.</p>`}
      </div>
      ${appLinks(base, all)}
      <div class="stack">
        ${
          tests.length === 0
            ? missing.length > 0 && all.tests.length === 0
              ? html`<p>No runs are registered yet.</p>`
              : app === undefined || all.tests.length === 0
                ? ciLines(context, "runs")
                : html`<p>This CI run has no tests of this app.</p>`
            : groups
                .filter((group) => group.tests.length > 0)
                .map(
                  ({ id, note, noteOf, outcome, tests, title }) =>
                    html`<section class="card" aria-labelledby="${id}">
                      <h2 id="${id}">${mark(outcome)} ${title} <span class="count">${tests.length}</span></h2>
                      ${note === undefined ? "" : html`<p class="type note">${note}</p>`}
                      ${foldedIfLong(outcome, tests.length, groupedRuns(base, tests.flat(), { noteOf, linksOf }))}
                    </section>`
                )
        }
      </div>`
  })
}
