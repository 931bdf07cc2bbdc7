/** Lists of builds, uploads and runs, as the pages that have them show them alike. */
import { DateTime } from "effect"
import { html, joinHtml, type Html } from "./html.ts"
import type { BuildView } from "../../../core/model/Build.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import { buildStatus } from "../../../core/rules/builds.ts"
import { messageLine } from "../../../core/rules/testResults.ts"
import { isFlaky, testIdOf } from "../../../core/rules/testRuns.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { paths } from "../access/paths.ts"
import { appHtml, code, platforms, repositoryHtml, runKinds, runStatuses, statuses } from "./facts.ts"
import { durationText, shortText, timeHtml } from "./text.ts"

/** How many characters of a name a list shows. */
const shown = 60

/** A short word on a coloured ground. */
export const pill = (status: string, label: string): Html => html`<span class="pill ${status}">${label}</span>`

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
      const { build, repository } = view
      const status = buildStatus(build, now)
      return html`<li>
        <a href="${base + paths.build(build.id)}">
          <span class="name"><bdi>${shortText(build.branch, shown)}</bdi></span>
          <span class="type">
            ${withRepository ? html`${repositoryHtml(repository)} · ` : ""}${appHtml(build).map((app) => html`${app} · `)}${platforms[build.platform]}
            · ${code(build.commitSha.slice(0, 7))} · ${timeHtml(build.createdAt)}
          </span>
        </a>
        ${status === "ready" ? "" : pill(status, statuses[status].label)}
      </li>`
    })}
  </ul>`

/** The status of a run, and that it is flaky: it passed only when it was tried again. */
export const statusPills = (run: TestRun): Html =>
  html`${pill(run.status, runStatuses[run.status])}${isFlaky(run) ? pill("flaky", "Flaky") : ""}`

/** What a run is called. */
export const runName = ({ kind, name, prompt }: TestRun): string => name ?? prompt ?? runKinds[kind]

/** An attempt at a test in a CI run, as a link: `attempt 1: Failed`. `before` is how many attempts there are before it. */
export const attemptLink = (base: string, run: TestRun, before: number): Html =>
  html`<a href="${base + paths.run(run.id)}">${attemptName(run, before)}: ${runStatuses[run.status].toLowerCase()}</a>`

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

/** Tests as a list of links to their latest runs, each with its repository unless they are all of one, and with its job if that is asked for. */
export const runList = (
  base: string,
  tests: ReadonlyArray<Attempts>,
  { withJob = false, withRepository }: { readonly withJob?: boolean; readonly withRepository: boolean }
): Html =>
  html`<ul class="list">
    ${tests.map((test) => {
      const [{ repository, run }] = test
      const details = [
        ...(withRepository ? [repositoryHtml(repository)] : []),
        ...appHtml(run),
        html`${runKinds[run.kind]}`,
        ...(run.branch === undefined ? [] : [html`<bdi>${shortText(run.branch, shown)}</bdi>`]),
        ...(withJob && run.job !== undefined ? [html`<bdi>${shortText(run.job, shown)}</bdi>`] : []),
        ...(run.durationMs === undefined ? [] : [html`<span class="unbroken">${durationText(run.durationMs)}</span>`]),
        timeHtml(run.createdAt)
      ]
      return html`<li>
        <a href="${base + paths.run(run.id)}">
          <span class="name"><bdi>${shortText(runName(run), shown)}</bdi></span>
          <span class="type">${joinHtml(details, " · ")}</span>
          ${failureLine(run)}
        </a>
        ${statusPills(run)}
        <a class="type history" href="${base + paths.test(testIdOf(run), run.branch)}"
          >History<span class="unseen"> of <bdi>${shortText(runName(run), shown)}</bdi></span></a
        >
        ${earlierAttempts(base, test)}
      </li>`
    })}
  </ul>`
