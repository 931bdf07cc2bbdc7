import type { DateTime } from "effect"
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { BuildView, Platform } from "../../../core/model/Build.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { TestRunKind, TestRunStatus } from "../../../core/model/TestRun.ts"
import type { BuildPage } from "../../../core/service/Overview.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { platforms, runKinds, runStatuses } from "../ui/facts.ts"
import { card } from "../ui/card.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { buildList, noBuilds, noRuns, runList } from "../ui/lists.ts"
import { paging } from "../ui/paging.ts"
import { shortText } from "../ui/text.ts"

/** The requested filters and positions. */
export interface Asked {
  readonly owner: string
  readonly repo: string
  readonly platform: Platform | undefined
  readonly branch: string | undefined
  readonly buildsAfter: string | undefined
  readonly kind: TestRunKind | undefined
  readonly status: TestRunStatus | undefined
  readonly source: string | undefined
  readonly pr: number | undefined
  readonly runsAfter: string | undefined
}

/** A page of runs, without those that a later attempt replaced; `listed` counts these too. */
interface TestPage {
  readonly tests: ReadonlyArray<Attempts>
  readonly listed: number
  readonly nextCursor: string | undefined
}

/** The content of the page. Parts that the key may not see are `undefined`. */
interface RepositoryFacts {
  readonly asked: Asked
  readonly repository: Repository
  readonly branches: ReadonlyArray<BuildView> | undefined
  readonly builds: BuildPage | undefined
  readonly runs: TestPage | undefined
  readonly now: DateTime.Utc
}

/** The URL of this page without filters. */
const unfilteredPath = (base: string, { owner, repo }: Asked): string =>
  `${base}/repositories?${new URLSearchParams({ owner, repo })}`

/** The URL of this page with some parameters changed. */
const pathWith = (base: string, asked: Asked, changes: Partial<Asked>): string => {
  const query = Object.entries({ ...asked, ...changes }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]]
  )
  return `${base}/repositories?${new URLSearchParams(query)}`
}

const choice = (name: string, label: string, options: Readonly<Record<string, string>>, chosen: string | undefined) =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">Any</option>
      ${Object.entries(options).map(
        ([value, text]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${text}</option>`
      )}
    </select></label
  >`

const field = (name: string, label: string, value: string | number | undefined, more?: Html) =>
  html`<label
    >${label} <input name="${name}" value="${value ?? ""}" placeholder="Any" autocomplete="off" ${more}
  /></label>`

/** The filters of the lists, by what they apply to. */
const filterGroup = (of: string, fields: ReadonlyArray<Html>): Html =>
  html`<fieldset>
    <legend>${of}</legend>
    ${fields}
  </fieldset>`

const filters = (base: string, asked: Asked): Html =>
  html`<form class="filters" method="get" action="${base}/repositories" aria-label="Filters">
    <input type="hidden" name="owner" value="${asked.owner}" />
    <input type="hidden" name="repo" value="${asked.repo}" />
    ${filterGroup("Builds and runs", [field("branch", "Branch", asked.branch)])}
    ${filterGroup("Builds", [choice("platform", "Platform", platforms, asked.platform)])}
    ${filterGroup("Runs", [
      choice("kind", "Kind", runKinds, asked.kind),
      choice("status", "Status", runStatuses, asked.status),
      field("source", "Source", asked.source),
      field("pr", "Pull request", asked.pr, html`inputmode="numeric"`)
    ])}
    <div class="actions">
      <button>Filter</button>
      ${isFiltered(asked, "builds") || isFiltered(asked, "runs") ? html`<a href="${unfilteredPath(base, asked)}">Show all</a>` : ""}
    </div>
  </form>`

/** The active filters of the lists. */
const filtersOf = {
  builds: ({ branch, platform }: Asked) => [branch, platform],
  runs: ({ branch, kind, pr, source, status }: Asked) => [branch, kind, pr, source, status]
}

const isFiltered = (asked: Asked, list: keyof typeof filtersOf): boolean =>
  filtersOf[list](asked).some((filter) => filter !== undefined)

const branchLinks = (base: string, asked: Asked, builds: ReadonlyArray<BuildView>): Html => {
  const names = [...new Set(builds.map(({ build }) => build.branch))]
  return html`<nav aria-labelledby="branches">
    <h2 id="branches">Branches</h2>
    <ul class="chips">
      ${names.map((branch) => {
        const isShown = branch === asked.branch
        const path = pathWith(base, asked, {
          branch: isShown ? undefined : branch,
          buildsAfter: undefined,
          runsAfter: undefined
        })
        return html`<li>
          <a href="${path}" ${isShown ? html`aria-current="true"` : ""}><bdi>${shortText(branch, 40)}</bdi></a>
        </li>`
      })}
    </ul>
  </nav>`
}

/** The page of a repository: its branches, builds and runs, with the filters for runs. */
export const repositoryPage = (
  context: PageContext,
  { asked, branches, builds, now, repository, runs }: RepositoryFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const older = (name: "buildsAfter" | "runsAfter", next: string | undefined) =>
    paging(
      name === "buildsAfter" ? "Pages of builds" : "Pages of runs",
      asked[name] === undefined ? undefined : pathWith(base, asked, { [name]: undefined }),
      next === undefined ? undefined : pathWith(base, asked, { [name]: next })
    )
  const missing = (scope: string) => html`<p>A key with the scope <code>${scope}</code> sees them.</p>`
  const nothing = (list: keyof typeof filtersOf, none: Html): Html =>
    asked[`${list}After`] !== undefined
      ? html`<p>No more.</p>`
      : isFiltered(asked, list)
        ? html`<p>Nothing matches these filters. <a href="${unfilteredPath(base, asked)}">Show all</a></p>`
        : none
  return page(context, {
    title: `${repository.owner}/${repository.repo}`,
    styles: ["repository"],
    main: html`<div class="title">
        <h1>
          <span class="owner"><bdi>${repository.owner}</bdi>/</span><bdi>${repository.repo}</bdi>
        </h1>
      </div>
      <div class="card browse">
        ${branches === undefined || branches.length === 0 ? "" : branchLinks(base, asked, branches)}
        ${filters(base, asked)}
      </div>
      <div class="columns pair">
        ${card(
          "builds",
          "Builds",
          builds === undefined
            ? missing("builds")
            : html`${
                builds.builds.length === 0
                  ? nothing("builds", noBuilds)
                  : buildList(base, builds.builds, { now, withRepository: false })
              }
              ${older("buildsAfter", builds.next)}`
        )}
        ${card(
          "runs",
          "Runs",
          runs === undefined
            ? missing("test_runs")
            : html`${
                runs.listed === 0
                  ? nothing("runs", noRuns)
                  : runs.tests.length === 0
                    ? html`<p>Later attempts replaced all runs of this page.</p>`
                    : runList(base, runs.tests, { withRepository: false })
              }
              ${older("runsAfter", runs.nextCursor)}`
        )}
      </div>`
  })
}
