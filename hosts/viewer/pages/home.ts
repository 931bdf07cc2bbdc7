/** The home page: the repositories of an account, with what broke in them. */
import { DateTime, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { BuildView } from "../../../core/model/Build.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import type { FoundCiRun } from "../../../core/ports/TestHistoryStore.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { maxListed, type RepositoryHistory, TestHistories } from "../../../core/service/TestHistories.ts"
import type { Visitor } from "../access/capability.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { goTo, paths, Site } from "../access/site.ts"
import { ifAllowed, seenBy, visitor } from "../session/account.ts"
import {
  type AskedSpan,
  askedSpan,
  brokenItem,
  brokenSince,
  defaultSpanLabel,
  isWithin,
  newestBreakFirst,
  spanLinks,
  spanOf
} from "../ui/breaks.ts"
import { ageText, buildList, card, ciRunList, commitHtml, messageHtml, testDetails, testLink } from "../ui/lists.ts"
import { mark, markShapes, sparklineOf, stripLength, worstOf } from "../ui/charts.ts"
import { ciLines } from "../ui/ciLines.ts"
import { code, repositoryHtml } from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText } from "../ui/html.ts"
import { icon } from "../ui/document.ts"
import { page, type PageContext, pageContext, problemPage } from "../ui/layout.ts"

/** How many branches and CI runs are shown, the latest ones. */
const maxBranches = 12
const maxCiRuns = 12
/** How many new breaks are shown at once. */
const maxNew = 10
/** How many repositories have a card, those linked last, and how many are read at once; the others are links. */
const maxCards = 40
const maxConcurrentReads = 4

/** The repositories of an account, those with a card apart from the others. */
const repositoriesOf = Effect.fnUntraced(function* (caller: Visitor) {
  const histories = yield* TestHistories
  const all = yield* (yield* Overview).repositories(caller)
  if (!caller.scopes.includes("test_runs")) return { histories: [], others: all }
  const newest = all.toSorted((a, b) => DateTime.toEpochMillis(b.linkedAt) - DateTime.toEpochMillis(a.linkedAt))
  const found = yield* Effect.forEach(
    newest.slice(0, maxCards),
    // One that was unlinked in the meantime is left out.
    (repository) =>
      histories.repository(caller, { owner: repository.owner, repo: repository.repo }).pipe(
        Effect.map(Option.some),
        Effect.catchTag("NotFound", () => Effect.succeedNone)
      ),
    { concurrency: maxConcurrentReads }
  )
  return { histories: found.flatMap(Option.toArray), others: newest.slice(maxCards) }
})

const home = Effect.gen(function* () {
  const context = yield* pageContext
  const overview = yield* Overview
  const histories = yield* TestHistories
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const asked = askedSpan(new URL(url, "http://viewer").searchParams)
  return yield* visitor.pipe(
    Effect.flatMap(
      Effect.fnUntraced(function* (caller) {
        const facts = yield* Effect.all(
          {
            repositories: repositoriesOf(caller),
            builds: ifAllowed(caller, "builds", overview.branches(caller, { limit: maxBranches })),
            ciRuns: ifAllowed(caller, "test_runs", histories.newestCiRuns(caller, maxCiRuns)),
            now: DateTime.now
          },
          { concurrency: "unbounded" }
        )
        return homePage(seenBy(context, caller), { ...facts, asked })
      })
    ),
    Effect.catchTags({
      Unauthorized: () => Effect.succeed(goTo(context.site, "/sign-in")),
      Unavailable: (problem) => problemPage(context, problem)
    })
  )
})

const sendIcon = Effect.succeed(
  HttpServerResponse.text(icon, { contentType: "image/svg+xml", headers: { "cache-control": "public, max-age=86400" } })
)

/** The logo of the site. Only images that browsers draw are accepted as one. */
const sendLogo = Effect.gen(function* () {
  const { logo } = yield* Site
  if (logo === undefined) return yield* NotFound.default
  const { bytes, contentType } = logo
  return HttpServerResponse.uint8Array(bytes, { contentType, headers: { "cache-control": "public, max-age=300" } })
})

/** The home page, and the icon and the logo of every page. */
export const routes = [
  HttpRouter.route("GET", "/", home),
  HttpRouter.route("GET", "/icon.svg", sendIcon),
  HttpRouter.route("GET", "/logo", sendLogo)
]

/** The content of an account. Parts that the key may not see are `undefined`. */
interface HomeFacts {
  /** Those that have a card, and the others. */
  readonly repositories: {
    readonly histories: ReadonlyArray<RepositoryHistory>
    readonly others: ReadonlyArray<Repository>
  }
  readonly builds: ReadonlyArray<BuildView> | undefined
  readonly ciRuns: ReadonlyArray<FoundCiRun> | undefined
  readonly asked: AskedSpan
  readonly now: DateTime.Utc
}

const missing = (scope: string, what: string): Html =>
  html`<p>A key with the scope <code>${scope}</code> sees ${what}.</p>`

/** The home page of an account: its repositories, latest builds and latest runs. */
const homePage = (
  context: PageContext & { readonly account: { readonly name: string } },
  { asked, builds, ciRuns, now, repositories: { histories, others } }: HomeFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: context.account.name,
    script: "live",
    styles: ["charts", "home"],
    main: html`<div class="title">
        <h1><bdi>${context.account.name}</bdi></h1>
      </div>
      ${markShapes} ${histories.some(({ ciRuns }) => ciRuns.length > 0) ? newCard(base, histories, asked, now) : ""}
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
          "Latest CI runs",
          ciRuns === undefined
            ? missing("test_runs", "test runs")
            : ciRuns.length === 0
              ? histories.some(({ slowest }) => slowest.length > 0)
                ? html`<p>No run has a source or a commit, so none belongs to a CI run.</p>`
                : ciLines(context, "runs")
              : ciRunList(base, ciRuns, { now, withRepository: true })
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

const newestAt = ({ ciRuns: [newest] }: RepositoryHistory): number =>
  newest === undefined ? 0 : DateTime.toEpochMillis(newest.startedAt)

/** Those with the most broken tests first, then those with the most flaky ones, then those that ran last. */
const byTrouble = (histories: ReadonlyArray<RepositoryHistory>): ReadonlyArray<RepositoryHistory> =>
  histories.toSorted(
    (a, b) => b.broken.length - a.broken.length || b.flaky.length - a.flaky.length || newestAt(b) - newestAt(a)
  )

/** A number of tests in a list that may have been cut, if `listed` tests were read with it. */
const number = (count: number, listed = count): string => (listed < maxListed ? String(count) : `${count}+`)

const lastRun = (newest: CiRun, now: DateTime.Utc): Html =>
  html`${mark(worstOf(newest))}
  ${["incomplete", "quarantined"].includes(worstOf(newest)) ? `${worstOf(newest)}, ` : ""}${ageText(DateTime.toEpochMillis(newest.startedAt), now)}
  ago`

const numbers = ({ broken, ciRuns: [newest], flaky, quarantined }: RepositoryHistory, now: DateTime.Utc): Html => {
  const failed = broken.length + quarantined.length
  return html`<dl>
    <div class="${broken.length > 0 ? "failed" : "none"}">
      <dt>broken</dt>
      <dd>${broken.length > 0 ? mark("failed") : ""} ${number(broken.length, failed)}</dd>
    </div>
    ${
      quarantined.length === 0
        ? ""
        : html`<div class="quarantined">
            <dt>quarantined</dt>
            <dd>${mark("quarantined")} ${number(quarantined.length, failed)}</dd>
          </div>`
    }
    <div class="${flaky.length > 0 ? "flaky" : "none"}">
      <dt>flaky this week</dt>
      <dd>${flaky.length > 0 ? mark("flaky") : ""} ${number(flaky.length)}</dd>
    </div>
    <div>
      <dt>last CI run</dt>
      <dd class="last">${newest === undefined ? "none" : lastRun(newest, now)}</dd>
    </div>
  </dl>`
}

/** How many broken tests a card names. */
const maxNamed = 3

/** The broken tests of all repositories that broke in a span, the newest break first. */
const newCard = (
  base: string,
  histories: ReadonlyArray<RepositoryHistory>,
  asked: AskedSpan,
  now: DateTime.Utc
): Html => {
  const span = spanOf(asked, now)
  const added = histories
    .flatMap(({ branch, broken, ciRuns, repository }) =>
      broken.map((test) => ({ test, branch, ciRuns, repository, withRepository: true }))
    )
    .filter(({ test }) => isWithin(span, brokenSince(test)))
    .toSorted((a, b) => newestBreakFirst(a.test, b.test))
  const rest = added.slice(maxNew)
  return html`<section class="card" aria-labelledby="new">
    <div class="head">
      <h2 id="new">New ${span.text} <span class="count">${added.length}</span></h2>
      ${spanLinks(asked, {
        action: `${base}/`,
        first: defaultSpanLabel(now),
        hidden: {},
        pathOf: ({ days }) => (days === undefined ? `${base}/` : `${base}/?days=${days}`)
      })}
    </div>
    ${
      added.length === 0
        ? html`<p>No test broke on a default branch ${span.text}.</p>`
        : html`<ul class="tests">
            ${added.slice(0, maxNew).map((broken) => brokenItem(base, broken))}
          </ul>`
    }
    ${rest.length === 0 ? "" : html`<p>+${rest.length} more, on the pages of the repositories.</p>`}
  </section>`
}

/** The broken tests, the newest break first, and since which commit. */
const brokenTests = (base: string, { branch, broken, quarantined, repository }: RepositoryHistory): Html | undefined =>
  broken.length === 0
    ? undefined
    : html`<div class="broken">
        ${broken
          .toSorted(newestBreakFirst)
          .slice(0, maxNamed)
          .map(
            (test) =>
              html`<p>
                  ${testLink(base, test, branch)}
                  ${test.summary.failingSince === undefined ? "" : html`<span class="type">since ${commitHtml(test.summary.failingSince, repository)}</span>`}
                  <span class="type">${joinHtml(testDetails(test), " · ")}</span>
                </p>
                ${test.summary.lastMessage === undefined ? "" : messageHtml(shortText(test.summary.lastMessage, 120))}`
          )}
        ${
          broken.length <= maxNamed
            ? ""
            : html`<p>
                <a href="${base + paths.repository(repository)}"
                  >+${number(broken.length - maxNamed, broken.length + quarantined.length)} more</a
                >
              </p>`
        }
      </div>`

const repositoryCard = (base: string, history: RepositoryHistory, now: DateTime.Utc): Html => {
  const { branch, broken, ciRuns, flaky, quarantined, repository } = history
  const shown = ciRuns.slice(0, stripLength).toReversed()
  const isQuiet = ciRuns.length + broken.length + quarantined.length + flaky.length === 0
  return html`<li class="card repository">
    <h3>
      <a href="${base + paths.repository(repository)}">${repositoryHtml(repository)}</a>
      ${branch === undefined ? "" : html`<span class="type">${code(shortText(branch, 40))}</span>`}
    </h3>
    ${
      isQuiet
        ? html`<p class="type">No test runs yet.</p>`
        : html`${shown.length === 0 ? "" : sparklineOf(shown.map(worstOf), "CI runs")} ${numbers(history, now)}
          ${brokenTests(base, history)}`
    }
  </li>`
}

/** The repositories of an account as cards, in their order. */
const repositoryCards = (base: string, histories: ReadonlyArray<RepositoryHistory>, now: DateTime.Utc): Html =>
  html`<ul class="cards">
    ${histories.map((history) => repositoryCard(base, history, now))}
  </ul>`

/** Repositories as links. */
const repositoryLinks = (base: string, repositories: ReadonlyArray<Repository>): Html =>
  html`<ul class="list repositories">
    ${repositories.map(
      (repository) =>
        html`<li>
          <a href="${base + paths.repository(repository)}"><span class="name">${repositoryHtml(repository)}</span></a>
        </li>`
    )}
  </ul>`
