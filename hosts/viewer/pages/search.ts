import { DateTime, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { FoundCiRun, FoundTest } from "../../../core/ports/TestHistoryStore.ts"
import { sourceParts } from "../../../core/rules/attempts.ts"
import { failedInQuarantine } from "../../../core/rules/testHistory.ts"
import { type Found, Search } from "../../../core/service/Search.ts"
import { paths } from "../access/site.ts"
import { forAccount } from "../session/account.ts"
import { ageText, card, testDetails, testName } from "../ui/lists.ts"
import { importsAt, incompletePill } from "../ui/charts.ts"
import { counted } from "../ui/words.ts"
import { code, commitTitle, repositoryHtml, pill } from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"

/** How many characters of a text are sought: as many as a name has. */
const maxCharacters = 1024

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const search = yield* Search
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const text = (query.get("q") ?? "")
      .slice(0, maxCharacters)
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim()
    const found = text === "" ? undefined : yield* search.find(caller, text)
    return searchPage(context, { text, found, now: yield* DateTime.now })
  })
)

/** The search across an account. */
export const routes = [HttpRouter.route("GET", "/search", show)]

interface SearchFacts {
  /** What was sought; empty where nothing was. */
  readonly text: string
  readonly found: Found | undefined
  readonly now: DateTime.Utc
}

const entry = (path: string, name: Html, details: ReadonlyArray<Html>, mark?: Html): Html =>
  html`<li>
    <a href="${path}">
      <span class="name">${name}</span>
      <span class="type">${joinHtml(details, " · ")}</span>
    </a>
    ${mark}
  </li>`

const testEntry = (base: string, { repository, test }: FoundTest, now: DateTime.Utc): Html =>
  entry(
    base + paths.testOnDefault(test.testId),
    html`<bdi>${shortText(testName(test), 100)}</bdi>`,
    [
      repositoryHtml(repository),
      ...testDetails(test),
      html`ran ${ageText(DateTime.toEpochMillis(test.lastRunAt), now)} ago`
    ],
    failedInQuarantine(test)
      ? pill("quarantined", "Quarantined")
      : test.lastStatus === "failed"
        ? pill("failed", "Failed")
        : undefined
  )

const ciRunEntry = (base: string, { ciRun, repository }: FoundCiRun, now: DateTime.Utc): Html => {
  const { author, branch, commitMessage, commitSha, failed, pr, quarantined, source, startedAt } = ciRun
  const title = commitTitle(commitMessage, 60)
  const name = [
    ...(branch === undefined ? [] : [html`<bdi>${shortText(branch, 60)}</bdi>`]),
    ...(commitSha === undefined ? [] : [code(commitSha.slice(0, 7))]),
    ...(pr === undefined ? [] : [html`#${pr}`])
  ]
  return entry(
    base +
      (source === undefined
        ? `${paths.repository(repository)}&${new URLSearchParams({ tab: "runs", branch: branch ?? "" })}`
        : paths.source(repository, source)),
    joinHtml(name.length === 0 ? [html`CI run`] : name, " "),
    [
      repositoryHtml(repository),
      ...(title === undefined ? [] : [html`<bdi>${title}</bdi>`]),
      ...(author === undefined ? [] : [html`by <bdi>${shortText(author, 60)}</bdi>`]),
      ...(source === undefined ? [] : [html`<bdi>${shortText(sourceParts(source).ciRun, 60)}</bdi>`]),
      html`${counted(ciRun.passed + failed + ciRun.flaky + quarantined, "test")}`,
      html`began ${ageText(DateTime.toEpochMillis(startedAt), now)} ago`
    ],
    failed > 0
      ? pill("failed", `${failed} failed`)
      : (incompletePill(importsAt(ciRun, now)) ??
          (quarantined > 0 ? pill("quarantined", `${quarantined} quarantined`) : undefined))
  )
}

/** The lists that aren't empty, each in a card. */
const cardsOf = (
  base: string,
  { branches, ciRuns, preview, repositories, tests }: Found,
  now: DateTime.Utc
): ReadonlyArray<Html> =>
  (
    [
      ["tests", "Tests", tests.map((test) => testEntry(base, test, now))],
      [
        "branches",
        "Branches",
        branches.map(({ branch, lastAt, repository }) =>
          entry(
            `${base}${paths.repository(repository)}&${new URLSearchParams({ branch })}`,
            html`<bdi>${shortText(branch, 100)}</bdi>`,
            [repositoryHtml(repository), html`ran ${ageText(DateTime.toEpochMillis(lastAt), now)} ago`]
          )
        )
      ],
      ["ci-runs", "CI runs", ciRuns.map((ciRun) => ciRunEntry(base, ciRun, now))],
      [
        "previews",
        "Previews",
        Option.toArray(preview).map(({ declaration: { git }, shareId }) =>
          entry(base + paths.preview(shareId), code(shareId), [html`<bdi>${shortText(git.branch ?? "", 60)}</bdi>`])
        )
      ],
      [
        "repositories",
        "Repositories",
        repositories.map((repository) => entry(base + paths.repository(repository), repositoryHtml(repository), []))
      ]
    ] as const
  ).flatMap(([id, title, entries]) =>
    entries.length === 0
      ? []
      : [
          card(
            id,
            title,
            html`<ul class="list" aria-label="${title}">
              ${entries}
            </ul>`
          )
        ]
  )

const help = html`<p>
  Search for tests by words of their name, file, platform or app, or the device that they ran on; for CI runs by their
  id, author, branch or commit message, the beginning of their commit, or their pull request (<code>#123</code>); for
  branches and repositories by a part of their name, and for a preview by its id. Words can be in any order.
</p>`

/** The page of a search, which is complete without a script. */
const searchPage = (context: PageContext, { found, now, text }: SearchFacts): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const cards = found === undefined ? [] : cardsOf(base, found, now)
  return page(context, {
    title: text === "" ? "Search" : `${shortText(text, 60)} · Search`,
    main: html`<div class="title"><h1>Search</h1></div>
      <form class="filters seeking" method="get" action="${base}/search" role="search">
        <label
          >Tests, CI runs, authors, branches, commits, pull requests
          <input type="search" name="q" value="${text}" maxlength="1024" autocomplete="off" autofocus
        /></label>
        <div class="actions"><button>Search</button></div>
      </form>
      <div class="found">
        ${
          found === undefined
            ? help
            : cards.length === 0
              ? html`<p class="none">Nothing matches <bdi>${shortText(text, 100)}</bdi>.</p>
                  ${help}`
              : html`<div class="stack">${cards}</div>`
        }
      </div>`
  })
}
