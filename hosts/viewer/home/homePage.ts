import type { DateTime } from "effect"
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { BuildView } from "../../../core/model/Build.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { AccountUsage } from "../../../core/model/Quota.ts"
import { usageLines } from "../../../core/rules/quotas.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { repositoryHtml } from "../ui/facts.ts"
import { card } from "../ui/card.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { buildList, noBuilds, noRuns, runList } from "../ui/lists.ts"
import { paths } from "../access/paths.ts"

/** The content of an account. Parts that the key may not see are `undefined`. */
export interface HomeFacts {
  readonly repositories: ReadonlyArray<Repository>
  readonly builds: ReadonlyArray<BuildView> | undefined
  readonly runs: ReadonlyArray<Attempts> | undefined
  readonly billedThisMonth: number | undefined
  readonly usage: AccountUsage
  readonly now: DateTime.Utc
}

const missing = (scope: string, what: string): Html =>
  html`<p>A key with the scope <code>${scope}</code> sees ${what}.</p>`

/** The home page of an account: its repositories, latest builds and latest runs. */
export const homePage = (
  context: PageContext & { readonly account: { readonly name: string } },
  { billedThisMonth, builds, now, repositories, runs, usage }: HomeFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: context.account.name,
    styles: ["home"],
    main: html`<div class="title">
        <h1><bdi>${context.account.name}</bdi></h1>
        ${
          billedThisMonth === undefined
            ? ""
            : html`<p class="at">
                ${billedThisMonth.toLocaleString("en-GB")} billed test run${billedThisMonth === 1 ? "" : "s"} this month
              </p>`
        }
        <p class="at">${usageLines(usage).join(" · ")}</p>
      </div>
      <div class="columns home">
        ${card(
          "repositories",
          "Repositories",
          repositories.length === 0
            ? html`<p>
                None is linked yet. The operator of this service links one with
                <code>slipway repo link OWNER/REPO --account <bdi>${context.account.name}</bdi></code
                >; then builds of it can be uploaded.
              </p>`
            : html`<ul class="list repositories">
                ${repositories.map(
                  (repository) =>
                    html`<li>
                      <a href="${base + paths.repository(repository)}"
                        ><span class="name">${repositoryHtml(repository)}</span></a
                      >
                    </li>`
                )}
              </ul>`
        )}
        ${card(
          "builds",
          "Latest builds",
          builds === undefined
            ? missing("builds", "builds")
            : builds.length === 0
              ? noBuilds
              : buildList(base, builds, { now, withRepository: true })
        )}
        ${card(
          "runs",
          "Latest runs",
          runs === undefined
            ? missing("test_runs", "test runs")
            : runs.length === 0
              ? noRuns
              : runList(base, runs, { withRepository: true })
        )}
      </div>`
  })
}
