import { DateTime } from "effect"
import { html, type Html } from "../ui/html.ts"
import type { CiRun } from "../../../core/model/TestHistory.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { mostListed, type RepositoryHistory } from "../../../core/service/TestHistories.ts"
import { paths } from "../access/paths.ts"
import { mark, markShapes, worstOf } from "../ui/charts/marks.ts"
import { sparklineOf } from "../ui/charts/sparkline.ts"
import { stripLength } from "../ui/charts/strip.ts"
import { code, repositoryHtml } from "../ui/facts.ts"
import { ageText, commitHtml, messageHtml, testLink } from "../ui/tests.ts"
import { shortText } from "../ui/text.ts"

const newestAt = ({ ciRuns: [newest] }: RepositoryHistory): number =>
  newest === undefined ? 0 : DateTime.toEpochMillis(newest.startedAt)

/** Those with the most broken tests first, then those with the most flaky ones, then those that ran last. */
export const byTrouble = (histories: ReadonlyArray<RepositoryHistory>): ReadonlyArray<RepositoryHistory> =>
  histories.toSorted(
    (a, b) => b.broken.length - a.broken.length || b.flaky.length - a.flaky.length || newestAt(b) - newestAt(a)
  )

const number = (count: number): string => (count < mostListed ? String(count) : `${mostListed}+`)

const lastRun = (newest: CiRun, now: DateTime.Utc): Html =>
  html`${mark(worstOf(newest))}
  ${worstOf(newest) === "incomplete" ? "incomplete, " : ""}${ageText(DateTime.toEpochMillis(newest.startedAt), now)} ago`

const numbers = ({ broken, ciRuns: [newest], flaky }: RepositoryHistory, now: DateTime.Utc): Html =>
  html`<dl>
    <div class="${broken.length > 0 ? "failed" : "none"}">
      <dt>broken</dt>
      <dd>${broken.length > 0 ? mark("failed") : ""} ${number(broken.length)}</dd>
    </div>
    <div class="${flaky.length > 0 ? "flaky" : "none"}">
      <dt>flaky this week</dt>
      <dd>${flaky.length > 0 ? mark("flaky") : ""} ${number(flaky.length)}</dd>
    </div>
    <div>
      <dt>last CI run</dt>
      <dd class="last">${newest === undefined ? "none" : lastRun(newest, now)}</dd>
    </div>
  </dl>`

/** How many broken tests a card names. */
const mostNamed = 3

/** The broken tests, those that ran last first, and since which commit. */
const brokenTests = (base: string, { branch, broken }: RepositoryHistory): Html | undefined =>
  broken.length === 0
    ? undefined
    : html`<div class="broken">
        ${broken.slice(0, mostNamed).map(
          (test) =>
            html`<p>
                ${testLink(base, test, branch)}
                ${test.summary.failingSince === undefined ? "" : html`<span class="type">since ${commitHtml(test.summary.failingSince)}</span>`}
              </p>
              ${test.summary.lastMessage === undefined ? "" : messageHtml(shortText(test.summary.lastMessage, 120))}`
        )}
      </div>`

const repositoryCard = (base: string, history: RepositoryHistory, now: DateTime.Utc): Html => {
  const { branch, broken, ciRuns, flaky, repository } = history
  const shown = ciRuns.slice(0, stripLength).toReversed()
  const isQuiet = ciRuns.length === 0 && broken.length === 0 && flaky.length === 0
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
export const repositoryCards = (base: string, histories: ReadonlyArray<RepositoryHistory>, now: DateTime.Utc): Html =>
  html`${markShapes}
    <ul class="cards">
      ${histories.map((history) => repositoryCard(base, history, now))}
    </ul>`

/** Repositories as links. */
export const repositoryLinks = (base: string, repositories: ReadonlyArray<Repository>): Html =>
  html`<ul class="list repositories">
    ${repositories.map(
      (repository) =>
        html`<li>
          <a href="${base + paths.repository(repository)}"><span class="name">${repositoryHtml(repository)}</span></a>
        </li>`
    )}
  </ul>`
