/** Lists of builds, uploads and runs, as the pages that have them show them alike. */
import { DateTime } from "effect"
import type { BuildView } from "../../../core/model/Build.ts"
import type { CiRun, ListedTest, RunPoint, TestSummary } from "../../../core/model/TestHistory.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import type { FoundCiRun } from "../../../core/ports/TestHistoryStore.ts"
import type { NewFailures } from "../../../core/service/TestHistories.ts"
import { attemptName, groupedBy, sourceParts } from "../../../core/rules/attempts.ts"
import { buildStatus } from "../../../core/rules/builds.ts"
import { messageLine, unstableWithin } from "../../../core/rules/testResults.ts"
import { isFlaky, testIdOf } from "../../../core/rules/testRuns.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { paths } from "../access/site.ts"
import { importsAt, incompletePill, mark, worstOf } from "./charts.ts"
import { counted } from "./words.ts"
import {
  appHtml,
  code,
  commitTitle,
  gitParts,
  platforms,
  repositoryHtml,
  runKinds,
  runOutcome,
  statuses,
  pill
} from "./facts.ts"
import { html, type Html, joinHtml, durationText, shortText, timeHtml } from "./html.ts"

/** How many characters of a name a list shows. */
const shown = 60

/** A choice of what a page shows, as links. */
export const chips = (
  label: string,
  options: ReadonlyArray<{ readonly label: string; readonly path: string; readonly isShown: boolean }>
): Html =>
  html`<nav aria-label="${label}">
    <ul class="chips">
      ${options.map(
        ({ isShown, label, path }) =>
          html`<li>
            <a href="${path}" ${isShown ? html`aria-current="true"` : ""}><bdi>${shortText(label, shown)}</bdi></a>
          </li>`
      )}
    </ul>
  </nav>`

/** Builds as a list of links, each with its repository unless they are all of one. */
export const buildList = (
  base: string,
  builds: ReadonlyArray<BuildView>,
  { now, withRepository }: { readonly now: DateTime.Utc; readonly withRepository: boolean }
): Html =>
  html`<ul class="list">
    ${builds.map((view) => {
      const { build, repository, upload } = view
      const status = buildStatus(build, now)
      const { author, commitMessage } = upload.declaration
      const title = commitTitle(commitMessage, shown)
      const change = [
        ...(title === undefined ? [] : [html`<bdi>${title}</bdi>`]),
        ...(author === undefined ? [] : [html`by <bdi>${shortText(author, shown)}</bdi>`])
      ]
      return html`<li>
        <a href="${base + paths.build(build.id)}">
          <span class="name"><bdi>${shortText(build.branch, shown)}</bdi></span>
          <span class="type">
            ${withRepository ? html`${repositoryHtml(repository)} · ` : ""}${appHtml(build).map((app) => html`${app} · `)}${platforms[build.platform]}
            · ${code(build.commitSha.slice(0, 7))} · ${timeHtml(build.createdAt)}
          </span>
          ${change.length === 0 ? "" : html`<span class="type">${joinHtml(change, " · ")}</span>`}
        </a>
        ${status === "ready" ? "" : pill(status, statuses[status].label)}
      </li>`
    })}
  </ul>`

/** The status of a run, and that it is flaky: it passed only when it was tried again. */
export const statusPills = (run: TestRun): Html => {
  const { label, outcome } = runOutcome(run)
  return html`${pill(outcome, label)}${isFlaky(run) ? pill("flaky", "Flaky") : ""}`
}

/** What a run is called. */
export const runName = ({ kind, name, prompt }: TestRun): string => name ?? prompt ?? runKinds[kind]

/** An attempt at a test in a CI run, as a link: `attempt 1: Failed`. `before` is how many attempts there are before it. */
export const attemptLink = (base: string, run: TestRun, before: number): Html =>
  html`<a href="${base + paths.run(run.id)}">${attemptName(run, before)}: ${runOutcome(run).label.toLowerCase()}</a>`

/** The attempts that the latest one replaced, the last of them first. */
const earlierAttempts = (base: string, [latest, ...earlier]: Attempts): Html | undefined =>
  earlier.length === 0
    ? undefined
    : html`<span class="type earlier">
        This is ${attemptName(latest.run, earlier.length)}. Earlier:
        ${joinHtml(
          earlier.map(({ run }, index) => attemptLink(base, run, earlier.length - 1 - index)),
          ", "
        )}
      </span>`

/** The first line of a failure. */
const failureLine = ({ failureMessage, status }: TestRun): Html | undefined => {
  const line = status === "failed" && failureMessage !== undefined ? messageLine(failureMessage) : undefined
  return line === undefined ? undefined : html`<span class="type why"><bdi>${line}</bdi></span>`
}

/** The platform of a device as people write it. */
export const platformText = (platform: string | undefined): string | undefined =>
  platform === "ios" || platform === "android" ? platforms[platform] : platform

/** Tests as a list of links to their latest runs, each with its repository unless they are all of one, and with what tells two rows apart. */
export const runList = (
  base: string,
  tests: ReadonlyArray<Attempts>,
  {
    inGroup = false,
    linksOf,
    noteOf,
    withRepository
  }: {
    readonly withRepository: boolean
    /** Whether a heading has the branch, app, platform and job of all. */
    readonly inGroup?: boolean
    /** Links to the cause of a failure. */
    readonly linksOf?: ((test: Attempts) => Html | undefined) | undefined
    /** What else is said of a test. */
    readonly noteOf?: ((test: Attempts) => string | undefined) | undefined
  }
): Html =>
  html`<ul class="list">
    ${tests.map((test) => {
      const [{ repository, run }] = test
      const note = noteOf?.(test)
      const details = [
        ...(withRepository ? [repositoryHtml(repository)] : []),
        ...(inGroup ? [] : appHtml(run)),
        html`${runKinds[run.kind]}`,
        ...(inGroup
          ? [run.device?.name, run.file]
          : [run.branch, platformText(run.device?.platform), run.device?.name, run.job, run.file]
        ).flatMap((text) => (text === undefined ? [] : [html`<bdi>${shortText(text, shown)}</bdi>`])),
        ...(run.durationMs === undefined ? [] : [html`<span class="unbroken">${durationText(run.durationMs)}</span>`]),
        timeHtml(run.startedAt ?? run.createdAt)
      ]
      return html`<li>
        <a href="${base + paths.run(run.id)}">
          <span class="name"><bdi>${shortText(runName(run), shown)}</bdi></span>
          <span class="type">${joinHtml(details, " · ")}</span>
          ${failureLine(run)} ${note === undefined ? "" : html`<span class="type"><bdi>${note}</bdi></span>`}
        </a>
        ${statusPills(run)}
        <a class="type history" href="${base + paths.test(testIdOf(run), run.branch)}"
          >History<span class="unseen"> of <bdi>${shortText(runName(run), shown)}</bdi></span></a
        >
        ${earlierAttempts(base, test)} ${linksOf?.(test) ?? ""}
      </li>`
    })}
  </ul>`

/** How CI runs are listed: with the number of new failures, as far as they were counted. */
interface CiRunsShown {
  readonly newFailures?: ReadonlyMap<string, NewFailures>
  readonly now: DateTime.Utc
  readonly withRepository: boolean
}

const ciRunResults = (ciRun: CiRun, newFailures: NewFailures | undefined, now: DateTime.Utc): Html => {
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
  { ciRun, repository }: FoundCiRun,
  { newFailures, now, withRepository }: CiRunsShown
): Html => {
  const { author, branch, commitMessage, commitSha, durationMs, pr, source, startedAt } = ciRun
  const title = commitTitle(commitMessage, 80)
  const number = source === undefined ? `Commit ${commitSha?.slice(0, 7) ?? ""}` : sourceParts(source).ciRun
  const details = [
    ...(withRepository ? [repositoryHtml(repository)] : []),
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
    ${source === undefined ? html`<span>${text}</span>` : html`<a href="${base + paths.source(repository, source)}">${text}</a>`}
    ${ciRunResults(ciRun, newFailures?.get(ciRun.ciRun), now)}
  </li>`
}

/** CI runs as a list of links, each with its repository unless they are all of one. */
export const ciRunList = (base: string, ciRuns: ReadonlyArray<FoundCiRun>, shown: CiRunsShown): Html =>
  html`<ul class="list">
    ${ciRuns.map((found) => ciRunItem(base, found, shown))}
  </ul>`

/** Runs of a CI run below a heading for each app, platform and job; without headings if they have none of these. */
export const groupedRuns = (
  base: string,
  tests: ReadonlyArray<Attempts>,
  more: Pick<Parameters<typeof runList>[2], "linksOf" | "noteOf">
): Html => {
  const headingOf = ([{ run }]: Attempts) =>
    [run.app, platformText(run.device?.platform), run.job].filter((part) => part !== undefined).join(" · ")
  const groups = Array.from(groupedBy(tests, headingOf)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return html`${groups.map(
    ([heading, group]) =>
      html`${heading === "" ? "" : html`<h3><bdi>${shortText(heading, 2 * shown)}</bdi> <span class="count">${group.length}</span></h3>`}
      ${runList(base, group, { ...more, inGroup: true, withRepository: false })}`
  )}`
}

/** A card with a heading; `id` names the heading. */
export const card = (id: string, title: string, body: Html): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${body}
  </section>`

/** Links to the next page of a list and to its beginning; `undefined` ones are omitted. */
export const paging = (
  label: string,
  first: string | undefined,
  next: string | undefined,
  names = { first: "Newest", next: "Older" }
): Html | undefined =>
  first === undefined && next === undefined
    ? undefined
    : html`<nav class="paging" aria-label="${label}">
        ${first === undefined ? "" : html`<a href="${first}">${names.first}</a>`}
        ${next === undefined ? "" : html`<a href="${next}" rel="next">${names.next}</a>`}
      </nav>`

/** How many branches are listed, those with the newest CI runs. */
const maxListed = 100

/** A menu of links to a page of each branch, the newest first; `all` adds one of all branches. */
export const branchMenu = ({
  all,
  branches,
  pathOf,
  shown
}: {
  readonly branches: ReadonlyArray<string>
  readonly shown: string | undefined
  readonly all: boolean
  readonly pathOf: (branch: string | undefined) => string
}): Html => {
  const names = branches.slice(0, maxListed)
  const listed = shown === undefined || names.includes(shown) ? names : [shown, ...names]
  const nameOf = (branch: string | undefined) =>
    branch === undefined ? "All branches" : html`<bdi>${shortText(branch, 60)}</bdi>`
  return html`<details class="menu branches">
    <summary><span class="label">Branch</span> ${nameOf(shown)}</summary>
    <div>
      ${[...(all ? [undefined] : []), ...listed].map(
        (branch) =>
          html`<a href="${pathOf(branch)}" ${branch === shown ? html`aria-current="true"` : ""}>${nameOf(branch)}</a>`
      )}
    </div>
  </details>`
}

// What pages about the history of tests share: names, links and numbers in words.

/** How often an intermittent test failed: `failed in 7 of its last 40 results`. */
export const intermittentText = ({ intermittentRuns = 0, runs }: TestSummary): string =>
  `failed in ${intermittentRuns} of its last ${counted(Math.min(runs, unstableWithin), "result")}, never for long`

/** What a test is called. */
export const testName = ({ kind, name, prompt }: Pick<ListedTest, "kind" | "name" | "prompt">): string =>
  name ?? prompt ?? runKinds[kind]

/** A test as a link to its history on a branch. */
export const testLink = (base: string, test: ListedTest, branch: string | undefined): Html =>
  html`<a class="name" href="${base + paths.test(test.testId, branch)}"
    ><bdi>${shortText(testName(test), 100)}</bdi></a
  >`

/** What tells tests of one name apart: the app, the platform and the file. */
export const testDetails = ({
  app,
  file,
  platform
}: Pick<ListedTest, "app" | "file" | "platform">): ReadonlyArray<Html> =>
  [app, platformText(platform), file].flatMap((detail) =>
    detail === undefined ? [] : html`<bdi>${shortText(detail, 80)}</bdi>`
  )

/** The first line of a failure. */
export const messageHtml = (message: string | undefined): Html =>
  message === undefined
    ? html`<p class="message none">No message was registered.</p>`
    : html`<p class="message"><bdi>${message}</bdi></p>`

/** The commit of a run, if it is known: a link if the repository says where its code is. */
export const commitHtml = ({ commitSha }: Pick<RunPoint, "commitSha">, repository?: Pick<Repository, "webUrl">): Html =>
  commitSha === undefined ? html`an unknown commit` : (gitParts(repository, { commitSha })[0] ?? html``)

/** A time in milliseconds as an element. */
export const momentHtml = (at: number): Html => timeHtml(DateTime.makeUnsafe(at))

const units = [
  { unit: "day", length: 86_400_000 },
  { unit: "hour", length: 3_600_000 },
  { unit: "minute", length: 60_000 }
] as const

/** How long ago something was, in its largest unit: `3 days`. */
export const ageText = (at: number, now: DateTime.Utc): string => {
  const age = DateTime.toEpochMillis(now) - at
  const found = units.find(({ length }) => age >= length)
  return found === undefined ? "less than a minute" : counted(Math.floor(age / found.length), found.unit)
}

/** A share as percent: `7%`. Only all is 100%, and only none is 0%. */
export const percentText = (share: number): string =>
  `${share <= 0 ? 0 : share >= 1 ? 100 : Math.min(99, Math.max(1, Math.round(share * 100)))}%`
