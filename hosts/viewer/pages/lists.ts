/** Lists of builds, uploads and runs, as the pages that have them show them alike. */
import { DateTime } from "effect"
import { html } from "ghtml"
import type { BuildView } from "../../../core/model/Build.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { buildStatus } from "../../../core/rules/builds.ts"
import { code, platforms, repositoryHtml, runKinds, runStatuses, statuses } from "./facts.ts"
import { durationText, shortText, timeHtml } from "./text.ts"

/** What can be looked up by a query: no more than these characters of a name are shown in a list. */
const shown = 60

const pill = (status: string, label: string): string => html`<span class="pill ${status}">${label}</span>`

/** Builds as a list of links, each with its repository unless they are all of one. */
export const buildList = (
  base: string,
  builds: ReadonlyArray<BuildView>,
  { now, withRepository }: { readonly now: DateTime.Utc; readonly withRepository: boolean }
): string =>
  html`<ul class="list">
    !${builds.map((view) => {
      const { build, repository } = view
      const status = buildStatus(build, now)
      return html`<li>
        <a href="${base}/builds/${build.id}">
          <span class="name"><bdi>${shortText(build.branch, shown)}</bdi></span>
          <span class="type">
            !${withRepository ? html`!${repositoryHtml(repository)} · ` : ""}${platforms[build.platform]} ·
            !${code(build.commitSha.slice(0, 7))} · !${timeHtml(build.createdAt)}
          </span>
        </a>
        !${pill(status, statuses[status].label)}
      </li>`
    })}
  </ul>`

/** What a run is called. */
export const runName = ({ kind, name, prompt }: TestRunView["run"]): string => name ?? prompt ?? runKinds[kind]

/** Runs as a list of links, each with its repository unless they are all of one. */
export const runList = (
  base: string,
  runs: ReadonlyArray<TestRunView>,
  { withRepository }: { readonly withRepository: boolean }
): string =>
  html`<ul class="list">
    !${runs.map(({ repository, run }) => {
      const details = [
        ...(withRepository ? [repositoryHtml(repository)] : []),
        html`${runKinds[run.kind]}`,
        ...(run.branch === undefined ? [] : [html`<bdi>${shortText(run.branch, shown)}</bdi>`]),
        ...(run.durationMs === undefined ? [] : [html`${durationText(run.durationMs)}`]),
        timeHtml(run.createdAt)
      ]
      return html`<li>
        <a href="${base}/runs/${run.id}">
          <span class="name"><bdi>${shortText(runName(run), shown)}</bdi></span>
          <span class="type">!${details.join(" · ")}</span>
        </a>
        !${pill(run.status, runStatuses[run.status])}
      </li>`
    })}
  </ul>`
