import type { DateTime } from "effect"
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { BuildView } from "../../../core/model/Build.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { RepositoryHistory } from "../../../core/service/TestHistories.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { card } from "../ui/card.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { ciLines } from "../ui/ciLines.ts"
import { buildList, runList } from "../ui/lists.ts"
import { byTrouble, repositoryCards, repositoryLinks } from "./repositoryCards.ts"

/** The content of an account. Parts that the key may not see are `undefined`. */
export interface HomeFacts {
  /** Those that have a card, and the others. */
  readonly repositories: {
    readonly histories: ReadonlyArray<RepositoryHistory>
    readonly others: ReadonlyArray<Repository>
  }
  readonly builds: ReadonlyArray<BuildView> | undefined
  readonly runs: ReadonlyArray<Attempts> | undefined
  readonly now: DateTime.Utc
}

const missing = (scope: string, what: string): Html =>
  html`<p>A key with the scope <code>${scope}</code> sees ${what}.</p>`

/** The home page of an account: its repositories, latest builds and latest runs. */
export const homePage = (
  context: PageContext & { readonly account: { readonly name: string } },
  { builds, now, repositories: { histories, others }, runs }: HomeFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: context.account.name,
    script: "live",
    styles: ["charts", "home"],
    main: html`<div class="title">
        <h1><bdi>${context.account.name}</bdi></h1>
      </div>
      <section class="all" aria-labelledby="repositories">
        <h2 id="repositories">Repositories</h2>
        ${
          histories.length + others.length > 0
            ? html`${histories.length === 0 ? "" : repositoryCards(base, byTrouble(histories), now)}
              ${others.length === 0 ? "" : html`<div class="card">${repositoryLinks(base, others)}</div>`}`
            : html`<p class="card">
                None is linked yet. The operator of this service links one with
                <code>slipway repo link OWNER/REPO --account <bdi>${context.account.name}</bdi></code
                >; then builds of it can be uploaded.
              </p>`
        }
      </section>
      <div class="columns pair latest">
        ${card(
          "runs",
          "Latest runs",
          runs === undefined
            ? missing("test_runs", "test runs")
            : runs.length === 0
              ? ciLines(context, "runs")
              : runList(base, runs, { withRepository: true })
        )}
        ${card(
          "builds",
          "Latest builds",
          builds === undefined
            ? missing("builds", "builds")
            : builds.length === 0
              ? ciLines(context, "builds")
              : buildList(base, builds, { now, withRepository: true })
        )}
      </div>`
  })
}
