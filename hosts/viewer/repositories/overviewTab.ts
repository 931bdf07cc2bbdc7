/** The overview of a repository: its numbers, and what broke. */
import { DateTime } from "effect"
import type { CiRun, ListedTest } from "../../../core/model/TestHistory.ts"
import { groupedBy } from "../../../core/rules/attempts.ts"
import { medianChange, messagePattern, percentile, slowerShare } from "../../../core/rules/testResults.ts"
import { maxListed, type RepositoryHistory } from "../../../core/service/TestHistories.ts"
import {
  ageText,
  card,
  commitHtml,
  intermittentText,
  messageHtml,
  percentText,
  testDetails,
  testLink
} from "../ui/lists.ts"
import { legend, mark, markShapes, sparkline, strip, stripLength, worstOf } from "../ui/charts.ts"
import { counted } from "../ui/words.ts"
import { code } from "../ui/facts.ts"
import { html, type Html, joinHtml, durationText, shortText } from "../ui/html.ts"
import { brokenItem, brokenSince, defaultSpanLabel, isWithin, newestBreakFirst, type Span } from "../ui/breaks.ts"
import { type Asked, tabMenu, tabPath, tabSpans } from "./asked.ts"

interface OverviewFacts {
  readonly span: Span
  readonly base: string
  readonly asked: Asked
  readonly history: RepositoryHistory
  readonly now: DateTime.Utc
}

/** How many tests of a list are shown at once; the others are folded away. */
const unfolded = 10

const isBroken = ({ lastStatus }: ListedTest): boolean => lastStatus === "failed"

type Tests = ReadonlyArray<ListedTest>

const branchName = (branch: string | undefined): Html =>
  branch === undefined ? html`all branches` : code(shortText(branch, 60))

/** A number of tests in a list that may have been cut. */
const countOf = (tests: ReadonlyArray<ListedTest>, { broken, quarantined }: RepositoryHistory): string =>
  `${counted(tests.length, "test")}${broken.length + quarantined.length < maxListed ? "" : " or more"}`

/**
 * The tests that are broken on this branch alone, and those that are on the default branch too, as they are there. The newest breaks are
 * first.
 */
const brokenHereAndThere = ({ broken, onDefault }: RepositoryHistory): readonly [here: Tests, there: Tests] => {
  const there = broken.flatMap(({ testId }) => onDefault.get(testId) ?? []).filter(isBroken)
  const known = new Set(there.map(({ testId }) => testId))
  return [
    broken.filter(({ testId }) => !known.has(testId)).toSorted(newestBreakFirst),
    there.toSorted(newestBreakFirst)
  ]
}

/** What a team wants to know first: what is broken, and since when. */
const verdict = ({ base, history, now }: OverviewFacts): Html => {
  const {
    branch,
    ciRuns: [newest],
    defaultBranch,
    quarantined
  } = history
  const [here, there] = brokenHereAndThere(history)
  if (here.length === 0 && there.length > 0) {
    return html`<p class="verdict failed">
      ${mark("failed")}
      <span>
        <strong>${countOf(there, history)}</strong> ${there.length === 1 ? "is" : "are"} broken on
        ${branchName(branch)}, and on ${branchName(defaultBranch)} too.
      </span>
    </p>`
  }
  const [only] = here
  if (only === undefined && newest !== undefined && worstOf(newest) === "incomplete") {
    return html`<p class="verdict incomplete">
      ${mark("incomplete")}
      <span>The last CI run on ${branchName(branch)} is not complete. No test is broken.</span>
    </p>`
  }
  if (only === undefined) {
    const outcome = quarantined.length === 0 ? "passed" : "quarantined"
    return html`<p class="verdict ${outcome}">
      ${mark(outcome)}
      <span
        >Nothing is broken on
        ${branchName(branch)}${quarantined.length === 0 ? "" : html`, but ${countOf(quarantined, history)} failed in quarantine`}.</span
      >
    </p>`
  }
  const oldest = here.reduce((first, test) => (brokenSince(test) < brokenSince(first) ? test : first), only)
  const since = html`since ${commitHtml(oldest.summary.failingSince ?? {}, history.repository)},
  ${ageText(brokenSince(oldest), now)} ago`
  return html`<p class="verdict failed">
    ${mark("failed")}
    <span>
      ${
        here.length === 1
          ? html`${testLink(base, only, branch)} is broken on ${branchName(branch)} ${since}.`
          : html`<strong>${countOf(here, history)}</strong> are broken on ${branchName(branch)}, the first ${since}.`
      }
      ${there.length === 0 ? "" : html`${counted(there.length, "other test")} also ${there.length === 1 ? "fails" : "fail"} on ${branchName(defaultBranch)}.`}
    </span>
  </p>`
}

const changeText = (change: number, before: number): string => {
  const points = Math.round(change * 100)
  return points === 0
    ? `as in the ${before} before`
    : `${counted(Math.abs(points), "percentage point")} ${points > 0 ? "more" : "less"} than in the ${before} before`
}

const stripCard = (base: string, { ciRuns, repository }: RepositoryHistory, span: Span): Html => {
  const { change, medianMs, passRate } = stripNumbers(ciRuns)
  const shown = Math.min(stripLength, ciRuns.length)
  const outcomes = new Set(ciRuns.slice(0, shown).map(worstOf))
  return card(
    "strip",
    span.isChosen
      ? `${shown < ciRuns.length ? `The newest ${shown} CI runs` : counted(shown, "CI run")} ${span.text}`
      : shown === 1
        ? "The only CI run"
        : `The last ${shown} CI runs`,
    html`<p class="numbers">
        ${
          passRate === undefined
            ? ""
            : html`<span>
                <strong>${percentText(passRate)}</strong>
                passed${change === undefined ? "" : `, ${changeText(change, Math.min(stripLength, ciRuns.length - shown))}`}
              </span>`
        }
        ${medianMs === undefined ? "" : html`<span><strong>${durationText(medianMs)}</strong> median duration</span>`}
      </p>
      ${strip(base, repository, ciRuns)}
      ${legend(
        "The height is the duration of all tests.",
        (["quarantined", "incomplete"] as const).filter((outcome) => outcomes.has(outcome))
      )}`
  )
}

/** The message with which several tests fail, if there is one. */
const commonCause = ([largest]: ReadonlyArray<MessageGroup>): Html | undefined =>
  largest === undefined || largest.tests.length < 2
    ? undefined
    : html`<p class="cause">
        <a href="#messages">${counted(largest.tests.length, "test")}</a> fail with one message:
        <bdi>${largest.pattern}</bdi>
      </p>`

/** A list whose end is folded away where it is long. */
const foldedList = (tests: ReadonlyArray<ListedTest>, item: (test: ListedTest) => Html): Html => {
  const [shown, folded] = [tests.slice(0, unfolded), tests.slice(unfolded)]
  return html`<ul class="tests">
      ${shown.map(item)}
    </ul>
    ${
      folded.length === 0
        ? ""
        : html`<details class="rest">
            <summary>${folded.length} more</summary>
            <ul class="tests">
              ${folded.map(item)}
            </ul>
          </details>`
    }`
}

const flakyItem = ({ base, history: { branch } }: OverviewFacts, test: ListedTest): Html => {
  const { flakyRuns, frequentMessage, intermittentRuns, recent, runs } = test.summary
  const share = html`flaky in ${percentText(flakyRuns / runs)} of its last ${counted(runs, "result")} (${flakyRuns})`
  return html`<li>
    <div class="who-what">
      ${testLink(base, test, branch)}
      <span class="type">
        ${joinHtml([...(flakyRuns === 0 ? [] : [share]), ...(intermittentRuns === undefined ? [] : [html`intermittent: ${intermittentText(test.summary)}`]), ...testDetails(test)], " · ")}
      </span>
      ${frequentMessage === undefined ? "" : messageHtml(frequentMessage)}
    </div>
    ${sparkline(recent)}
  </li>`
}

const slowerText = (change: number | undefined): Html => {
  if (change === undefined) return html`–`
  const percent = Math.round(change * 100)
  if (percent === 0) return html`unchanged`
  return change >= slowerShare
    ? html`<strong class="slower">${percent}% slower</strong>`
    : html`${Math.abs(percent)}% ${percent > 0 ? "slower" : "faster"}`
}

const slowestTable = (base: string, { branch, slowest }: RepositoryHistory): Html =>
  html`<table class="slowest">
    <thead>
      <tr>
        <th scope="col">Test</th>
        <th scope="col"><abbr title="median">p50</abbr></th>
        <th scope="col">p95</th>
        <th scope="col">Change of the median</th>
      </tr>
    </thead>
    <tbody>
      ${slowest.map(
        (test) =>
          html`<tr>
            <th scope="row">
              ${testLink(base, test, branch)} <span class="type">${joinHtml(testDetails(test), " · ")}</span>
            </th>
            <td>
              <span class="in-row">p50 </span
              >${test.summary.p50Ms === undefined ? "–" : durationText(test.summary.p50Ms)}
            </td>
            <td><span class="in-row">p95 </span>${test.p95Ms === undefined ? "–" : durationText(test.p95Ms)}</td>
            <td>${slowerText(medianChange(test.summary))}</td>
          </tr>`
      )}
    </tbody>
  </table>`

const groupItem = (base: string, branch: string | undefined, { pattern, tests }: MessageGroup): Html =>
  html`<li>
    <p><strong>${counted(tests.length, "test")}</strong> ${tests.length === 1 ? "fails" : "fail"} with:</p>
    <p class="message"><bdi>${pattern}</bdi></p>
    <p class="type">
      ${joinHtml(
        tests.slice(0, 5).map((test) => testLink(base, test, branch)),
        " · "
      )}
      ${tests.length > 5 ? ` and ${tests.length - 5} more` : ""}
    </p>
  </li>`

const chooser = (base: string, asked: Asked, { branch, branches }: RepositoryHistory): Html | undefined =>
  branches.length === 0 ? undefined : tabMenu(base, asked, { branches, shown: branch, all: false })

/** What stands in place of {@link overviewTab}. */
export const noHistory = (base: string, asked: Asked, history: RepositoryHistory, empty: () => Html): Html =>
  html`${history.branches.length === 0 ? "" : html`<div class="head">${chooser(base, asked, history)}</div>`}
  ${card(
    "none",
    "Test runs",
    history.branches.length === 0
      ? empty()
      : html`<p>
          There is no CI run of ${branchName(history.branch)}.
          <a href="${tabPath(base, asked, "overview")}">Show the default branch</a>
        </p>`
  )}`

/** What broke on a branch, what is flaky and what is slow; `undefined` if no test ran on it. */
export const overviewTab = (facts: OverviewFacts): Html | undefined => {
  const { asked, base, history, now, span } = facts
  const { branch, broken, ciRuns, defaultBranch, flaky, onDefault, quarantined, repository, slowest } = history
  if (ciRuns.length === 0 && slowest.length === 0 && broken.length + quarantined.length === 0) return undefined
  const groups = messageGroups(broken)
  const [here, there] = brokenHereAndThere(history)
  const flakyTitle = span.isChosen ? `Flaky ${span.text}` : "Flaky this week"
  const isNew = (test: ListedTest) => isWithin(span, brokenSince(test))
  const [added, before] = [here.filter(isNew), here.filter((test) => !isNew(test))]
  const ofHere = (test: ListedTest) => {
    const run = onDefault.get(test.testId)?.summary.lastPassed
    return brokenItem(base, { test, branch, repository, ciRuns, passedOn: { branch: defaultBranch, run } })
  }
  return html`${markShapes}
    <div class="head">${verdict(facts)} ${chooser(base, asked, history)}</div>
    <div class="stack">
      <section class="card" aria-labelledby="new">
        <div class="head">
          <h2 id="new">New ${span.text} <span class="count">${added.length}</span></h2>
          ${tabSpans(base, asked, defaultSpanLabel(now))}
        </div>
        ${commonCause(messageGroups(added))}
        ${added.length === 0 ? html`<p>No test broke on ${branchName(branch)} ${span.text}.</p>` : foldedList(added, ofHere)}
      </section>
      ${ciRuns.length === 0 ? "" : stripCard(base, history, span)}
      ${
        before.length === 0
          ? ""
          : html`<section class="card" aria-labelledby="broken">
              <h2 id="broken">Broken on ${branchName(branch)} before <span class="count">${before.length}</span></h2>
              ${foldedList(before, ofHere)}
            </section>`
      }
      ${
        there.length === 0
          ? ""
          : html`<section class="card" aria-labelledby="known">
              <h2 id="known">
                Broken on ${branchName(defaultBranch)} too
                <span class="count">${there.length}</span>
              </h2>
              ${foldedList(there, (test) => brokenItem(base, { test, branch: defaultBranch, repository, ciRuns }))}
            </section>`
      }
      ${
        quarantined.length === 0
          ? ""
          : html`<section class="card" aria-labelledby="quarantined">
              <h2 id="quarantined">Quarantined <span class="count">${quarantined.length}</span></h2>
              <p class="type note">The last result of these tests is a failure in quarantine.</p>
              ${foldedList(quarantined.toSorted(newestBreakFirst), ofHere)}
            </section>`
      }
      <div class="columns pair">
        ${
          flaky.length === 0
            ? card(
                "flaky",
                flakyTitle,
                html`<p>No test was flaky ${span.isChosen ? span.text : "in the last 7 days"}.</p>`
              )
            : html`<section class="card" aria-labelledby="flaky">
                <h2 id="flaky">${flakyTitle} <span class="count">${flaky.length}</span></h2>
                ${foldedList(flaky, (test) => flakyItem(facts, test))}
              </section>`
        }
        ${slowest.length === 0 ? "" : card("slowest", "Slowest", slowestTable(base, history))}
      </div>
      ${
        groups.some(({ tests }) => tests.length > 1)
          ? card(
              "messages",
              "Failures by message",
              html`<ul class="messages">
                ${groups.map((group) => groupItem(base, branch, group))}
              </ul>`
            )
          : ""
      }
    </div>`
}

// The numbers of a repository's page that are computed from its lists.

/** What the strip of a branch shows in numbers; `undefined` where nothing is known. */
interface StripNumbers {
  /** The share of CI runs in which no test failed in the end, of those that are complete and don't only have quarantined failures. */
  readonly passRate: number | undefined
  /** How that share differs from the one of the CI runs before. */
  readonly change: number | undefined
  readonly medianMs: number | undefined
}

const rateOf = (ciRuns: ReadonlyArray<CiRun>): number | undefined => {
  const ended = ciRuns.map(worstOf).filter((outcome) => outcome !== "incomplete" && outcome !== "quarantined")
  return ended.length === 0 ? undefined : ended.filter((outcome) => outcome !== "failed").length / ended.length
}

/** The numbers of the last 30 CI runs, compared with the 30 before, of CI runs that are newest first. */
export const stripNumbers = (ciRuns: ReadonlyArray<CiRun>): StripNumbers => {
  const recent = ciRuns.slice(0, stripLength)
  const [passRate, before] = [rateOf(recent), rateOf(ciRuns.slice(stripLength, 2 * stripLength))]
  return {
    passRate,
    change: passRate === undefined || before === undefined ? undefined : passRate - before,
    medianMs: percentile(
      recent.map(({ durationMs }) => durationMs),
      0.5
    )
  }
}

/** Failing tests whose messages differ only in what differs from run to run. */
interface MessageGroup {
  readonly pattern: string
  readonly tests: readonly [ListedTest, ...ReadonlyArray<ListedTest>]
}

/** Failing tests by their newest message, the largest group first. Tests without a message are in none. */
export const messageGroups = (failing: ReadonlyArray<ListedTest>): ReadonlyArray<MessageGroup> =>
  Array.from(
    groupedBy(failing, ({ summary: { lastMessage } }) => lastMessage && messagePattern(lastMessage)),
    ([pattern, [first, ...others]]) =>
      pattern === undefined || first === undefined ? [] : [{ pattern, tests: [first, ...others] as const }]
  )
    .flat()
    .toSorted((a, b) => b.tests.length - a.tests.length)
