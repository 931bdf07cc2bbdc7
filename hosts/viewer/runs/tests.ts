import { DateTime, Effect, Schema, type Option } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { resultColumns, toTestHistoryRecord } from "../../../core/api/tests.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { type RunPoint, TestId, type TestOutcome, type TestView } from "../../../core/model/TestHistory.ts"
import { Name } from "../../../core/model/Text.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { failedInQuarantine, recentResults } from "../../../core/rules/testHistory.ts"
import { groupedBy } from "../../../core/rules/attempts.ts"
import {
  judged,
  type JudgedResult,
  medianChange,
  messagePattern,
  percentile,
  slowerShare,
  slowerSince,
  tellingRun
} from "../../../core/rules/testResults.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { Quarantines, type ListedQuarantine } from "../../../core/service/Quarantines.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { paths } from "../access/site.ts"
import { forAccount, idInPath } from "../session/account.ts"
import {
  ageText,
  branchMenu,
  card,
  commitHtml,
  intermittentText,
  messageHtml,
  momentHtml,
  percentText,
  testDetails,
  testName
} from "../ui/lists.ts"
import { durations, legend, mark, markShapes, squares } from "../ui/charts.ts"
import { counted } from "../ui/words.ts"
import { code, diffLink, factList, factOf, repositoryHtml, repositoryStep, runKinds } from "../ui/facts.ts"
import { html, type Html, joinHtml, durationText, shortText } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { formatIn, tableFile, tableLinks, withFormat } from "../ui/tableFile.ts"
import { quarantineCard } from "./quarantine.ts"

const isName = Schema.is(Name)

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const histories = yield* TestHistories
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const id = TestId.make(yield* idInPath)
    const branch = new URL(url, "http://viewer").searchParams.get("branch")
    const facts = yield* Effect.all(
      {
        view:
          branch === null
            ? histories.findOnDefault(caller, id)
            : histories.find(caller, id, isName(branch) ? branch : undefined),
        branches: histories.branchesOf(caller, id),
        quarantine: (yield* Quarantines).find(caller, id),
        now: DateTime.now
      },
      { concurrency: "unbounded" }
    )
    const { repository, test } = facts.view
    const { owner = repository.owner, repo = repository.repo } = yield* HttpRouter.params
    if (`${owner}/${repo}`.toLowerCase() !== `${repository.owner}/${repository.repo}`.toLowerCase()) {
      return yield* NotFound.default
    }
    const format = formatIn(url)
    if (format !== undefined) {
      return tableFile(format, "results", resultColumns, toTestHistoryRecord(test).results)
    }
    const linked = yield* (yield* Overview).repository(caller, repository)
    const isNewlyBroken = test.lastStatus === "failed" && test.branch !== undefined && !test.summary.lastPassed
    const passedOnDefault = isNewlyBroken ? yield* histories.lastPassOnDefault(caller, facts.view) : undefined
    const mayQuarantine = caller.scopes.includes("quarantine")
    return testPage(context, { ...facts, ...facts.view, repository: linked, passedOnDefault, mayQuarantine })
  })
)

/** The history of a test, also below the name of its repository. */
export const routes = [
  HttpRouter.route("GET", "/tests/:id", show),
  HttpRouter.route("GET", "/repositories/:owner/:repo/tests/:id", show)
]

/** The content of the page: a test's history on one branch, or on all where `branch` is absent. */
interface TestFacts extends Pick<TestView, "test"> {
  readonly repository: Repository
  readonly branches: ReadonlyArray<string>
  /** Where it passed last on the default branch, if it fails on `branch` and never passed there. */
  readonly passedOnDefault: { readonly branch: string; readonly run: RunPoint } | undefined
  readonly quarantine: Option.Option<ListedQuarantine>
  readonly mayQuarantine: boolean
  readonly now: DateTime.Utc
}

const branchName = (branch: string | undefined): Html =>
  branch === undefined ? html`any branch` : code(shortText(branch, 60))

/** By how much the test became slower, and since when. */
const slowdown = (
  base: string,
  { now, repository, test }: Pick<TestFacts, "now" | "repository" | "test">,
  results: ReadonlyArray<JudgedResult>
): Html | "" => {
  const { earlierP50Ms, recentP50Ms } = test.summary
  const change = medianChange(test.summary)
  if (change === undefined || change < slowerShare || earlierP50Ms === undefined || recentP50Ms === undefined) return ""
  const since = slowerSince(results)
  const runLink = (run: RunPoint) =>
    html`${commitHtml(run, repository)} (<a href="${base + paths.run(run.runId)}">run</a>)`
  return html`<p class="verdict slower">
    <span>
      <strong>${percentText(change)} slower</strong> than before: the median of the last ${recentResults} results is
      ${durationText(recentP50Ms)}, and of the ${Math.min(recentResults, results.length - recentResults)} before it was
      ${durationText(earlierP50Ms)}.
      ${
        since === undefined
          ? ""
          : since.from === since.to
            ? html`It is slower since ${runLink(since.from)}, ${ageText(since.from.at, now)} ago.`
            : html`It became slower between ${runLink(since.from)} and ${runLink(since.to)},
              ${ageText(since.to.at, now)} ago or earlier.`
      }
    </span>
  </p>`
}

/** Whether the test works, and since when it doesn't. */
const verdict = (base: string, { now, passedOnDefault, repository, test }: TestFacts): Html => {
  const { failingSince, failuresInARow, flakyRuns, intermittentRuns = 0, runs } = test.summary
  const isFlaky = flakyRuns + intermittentRuns > 0
  const lastPassed = test.summary.lastPassed ?? passedOnDefault?.run
  const passedOn = passedOnDefault === undefined ? "" : html`on ${branchName(passedOnDefault.branch)} `
  if (failingSince === undefined) {
    return html`<p class="verdict ${isFlaky ? "flaky" : "passed"}">
      ${mark(isFlaky ? "flaky" : "passed")}
      <span>
        Passed last on
        ${branchName(test.branch)}${flakyRuns === 0 ? "" : `, flaky in ${flakyRuns} of ${counted(runs, "result")}`}${
          intermittentRuns === 0 ? "" : `, intermittent: ${intermittentText(test.summary)}`
        }.
      </span>
    </p>`
  }
  const times = failuresInARow === 1 ? "once" : `${failuresInARow} times in a row`
  const isQuarantined = failedInQuarantine(test)
  const outcome = isQuarantined ? "quarantined" : "failed"
  return html`<div>
    <p class="verdict ${outcome}">
      ${mark(outcome)}
      <span>
        ${isQuarantined ? "Its last failure is quarantined. " : ""}First failed at
        ${commitHtml(failingSince, repository)}, ${ageText(failingSince.at, now)}
        ago${lastPassed === undefined ? "; it never passed" : html`; last passed ${passedOn}at ${commitHtml(lastPassed, repository)}`}.
        Failed ${times} on ${branchName(test.branch)}.
      </span>
    </p>
    <p class="choices">
      ${
        lastPassed === undefined
          ? ""
          : html`<a class="button" href="${base + paths.compare(lastPassed.runId, failingSince.runId)}"
                >Compare the first failure with the last pass</a
              >
              ${diffLink(repository, lastPassed.commitSha, failingSince.commitSha) ?? ""}
              <a href="${base + paths.run(lastPassed.runId)}">Last passing run</a>`
      }
      <a href="${base + paths.run(failingSince.runId)}">First failing run</a>
    </p>
  </div>`
}

const squareOf = (base: string, result: JudgedResult) => {
  const { at, branch, commitSha, durationMs, runId } = tellingRun(result)
  const detail = [
    `${DateTime.formatIso(DateTime.makeUnsafe(at)).slice(0, 16).replace("T", " ")} UTC`,
    ...(commitSha === undefined ? [] : [commitSha.slice(0, 7)]),
    ...(branch === undefined ? [] : [shortText(branch, 40)]),
    ...(durationMs === undefined ? [] : [durationText(durationMs)])
  ]
  return { outcome: result.outcome, href: base + paths.run(runId), detail: detail.join(", ") }
}

const pointLink = (base: string, repository: Repository, point: RunPoint): Html =>
  html`<a href="${base + paths.run(point.runId)}">${momentHtml(point.at)}</a> at ${commitHtml(point, repository)}`

const failureItem = (base: string, repository: Repository, { first, last, message, runs }: FailureGroup): Html =>
  html`<li>
    ${messageHtml(message)}
    <p class="type">
      ${
        runs === 1
          ? html`once, ${pointLink(base, repository, last)}`
          : html`${counted(runs, "run")}, first ${pointLink(base, repository, first)}, last
            ${pointLink(base, repository, last)}`
      }
    </p>
  </li>`

const durationCard = (results: ReadonlyArray<JudgedResult>): Html => {
  const timed = results.toReversed().flatMap((result) => {
    const { at, durationMs } = tellingRun(result)
    return durationMs === undefined ? [] : [{ outcome: result.outcome, durationMs, at }]
  })
  const values = timed.map(({ durationMs }) => durationMs)
  const lines = [
    { name: "p50", value: percentile(values, 0.5) },
    { name: "p95", value: percentile(values, 0.95) }
  ].flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]))
  return card(
    "durations",
    "Duration",
    timed.length === 0 ? html`<p>No duration was registered.</p>` : html`${durations(timed, lines)} ${legend()}`
  )
}

/** The different names of the devices that a test ran on, those of the newest results first. */
const devicesOf = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<string> => [
  ...new Set(results.flatMap(({ runs }) => runs.flatMap(({ device }) => device ?? [])))
]

/** How many names of devices are listed. */
const maxDevices = 20

/** The history of a test: its last results, how long they took, and how it failed. */
const testPage = (context: PageContext, facts: TestFacts): HttpServerResponse.HttpServerResponse => {
  const { branches, repository, test } = facts
  const { base } = context.site
  const results = judged(test.results)
  const { failed, p50Ms, runs } = test.summary
  const ended = (outcome: TestOutcome) => results.filter((result) => result.outcome === outcome).length
  const groups = failureGroups(results)
  const devices = devicesOf(results)
  const name = shortText(testName(test), 200)
  return page(context, {
    title: `Test: ${shortText(name, 60)}`,
    styles: ["charts"],
    trail: [repositoryStep(repository)],
    main: html`${markShapes}
      <div class="title">
        <h1><bdi>${name}</bdi></h1>
        <p class="at">
          ${runKinds[test.kind]} test of
          <a href="${base + paths.repository(repository)}">${repositoryHtml(repository)}</a>
          ${test.file === undefined ? "" : html`in ${code(shortText(test.file, 120))}`}
          ${testDetails(withoutUndefined({ app: test.app, platform: test.platform })).map((detail) => html` · ${detail}`)}
        </p>
      </div>
      <div class="head">
        ${verdict(base, facts)}
        ${
          branches.length === 0
            ? ""
            : branchMenu({
                branches,
                shown: test.branch,
                all: true,
                pathOf: (branch) => base + paths.test(test.testId, branch)
              })
        }
      </div>
      ${slowdown(base, facts, results)} ${quarantineCard(context, facts)}
      <div class="stack">
        ${card(
          "results",
          runs === 1 ? "The only result" : `The last ${runs} results`,
          html`<p class="numbers">
              ${(["passed", "failed", "flaky", "quarantined"] as const).map((outcome) =>
                outcome === "quarantined" && ended(outcome) === 0
                  ? ""
                  : html`<span><strong>${ended(outcome)}</strong> ${outcome}</span> `
              )}
            </p>
            ${squares(results.toReversed().map((result) => squareOf(base, result)))}
            ${legend("Oldest first. Each opens its run.", ended("quarantined") === 0 ? [] : ["quarantined"])}
            ${tableLinks((format) => withFormat(base + paths.test(test.testId, test.branch), format))}`
        )}
        ${durationCard(results)}
        <div class="columns pair">
          ${card(
            "failures",
            "Failures by message",
            groups.length === 0
              ? html`<p>${failed === 0 ? "There is none." : "No failure has a message."}</p>`
              : html`<ul class="messages">
                  ${groups.map((group) => failureItem(base, repository, group))}
                </ul>`
          )}
          ${card(
            "facts",
            "Facts",
            factList([
              ["Kind", runKinds[test.kind]],
              ...factOf("Name", test.name, (value) => html`<bdi>${value}</bdi>`),
              ...factOf("Prompt", test.prompt, (value) => html`<bdi class="lines">${value}</bdi>`),
              ...factOf("File", test.file, code),
              ...factOf("Platform", test.platform, (value) => html`<bdi>${value}</bdi>`),
              ...factOf("App", test.app, (value) => html`<bdi>${value}</bdi>`),
              ...factOf("Devices", devices.length === 0 ? undefined : devices.slice(0, maxDevices), (values) =>
                joinHtml(
                  values.map((value) => html`<bdi>${shortText(value, 80)}</bdi>`),
                  ", "
                )
              ),
              ...factOf("p50", p50Ms, durationText),
              ...factOf("p95", test.p95Ms, durationText)
            ])
          )}
        </div>
      </div>`
  })
}

/** The failures of a test with one message, but for what differs from run to run. */
interface FailureGroup {
  /** The newest of its messages. */
  readonly message: string
  readonly runs: number
  readonly first: RunPoint
  readonly last: RunPoint
}

/** The failures among a test's results by message, the most frequent first; `results` are newest first. */
const failureGroups = (results: ReadonlyArray<JudgedResult>): ReadonlyArray<FailureGroup> => {
  const failures = results.flatMap(({ runs }) =>
    runs.flatMap((run) => (run.message === undefined ? [] : [{ ...run, message: run.message }]))
  )
  return Array.from(groupedBy(failures, ({ message }) => messagePattern(message)).values(), (group) => {
    const [last, first] = [group[0], group.at(-1)]
    return last === undefined || first === undefined ? [] : [{ message: last.message, runs: group.length, first, last }]
  })
    .flat()
    .toSorted((a, b) => b.runs - a.runs)
}
