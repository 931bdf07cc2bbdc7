/** What broke in a span of time: the span that a page was asked for, the links to others, and a broken test with its causes. */
import { DateTime } from "effect"
import type { Repository } from "../../../core/model/Repository.ts"
import type { CiRun, ListedTest, RunPoint } from "../../../core/model/TestHistory.ts"
import { failedInQuarantine, lastWorkingDay } from "../../../core/rules/testHistory.ts"
import { paths } from "../access/site.ts"
import { sparkline } from "./charts.ts"
import { code, commitTitle, diffLink, pill, repositoryHtml } from "./facts.ts"
import { html, type Html, joinHtml, shortText } from "./html.ts"
import { chips, commitHtml, messageHtml, momentHtml, testDetails, testLink, testName } from "./lists.ts"
import { counted } from "./words.ts"

/** What a URL says of a span: the number of days until now, or the first and the last day as `YYYY-MM-DD`. */
export interface AskedSpan {
  readonly days: number | undefined
  readonly from: string | undefined
  readonly to: string | undefined
}

/** A span in milliseconds since 1970; `to` is excluded, and is open where it is absent. */
export interface Span {
  readonly from: number
  readonly to: number | undefined
  /** How it continues a sentence: `since yesterday`. */
  readonly text: string
  /** Whether the page was asked for it. */
  readonly isChosen: boolean
}

const dayMs = 86_400_000
const maxDays = 400

const dayIn = (text: string | null): string | undefined =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined

/** The span in the parameters of a URL. Invalid ones are ignored. */
export const askedSpan = (query: URLSearchParams): AskedSpan => {
  const days = Number(query.get("days") ?? "")
  return {
    days: Number.isInteger(days) && days > 0 && days <= maxDays ? days : undefined,
    from: dayIn(query.get("from")),
    to: dayIn(query.get("to"))
  }
}

/** The span that was asked for, else since the last working day. */
export const spanOf = ({ days, from, to }: AskedSpan, now: DateTime.Utc): Span => {
  const millis = DateTime.toEpochMillis(now)
  if (from !== undefined || to !== undefined) {
    return {
      from: from === undefined ? 0 : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to) + dayMs,
      text: [...(from === undefined ? [] : [`from ${from}`]), ...(to === undefined ? [] : [`to ${to}`])].join(" "),
      isChosen: true
    }
  }
  if (days !== undefined) {
    return {
      from: millis - days * dayMs,
      to: undefined,
      text: days === 1 ? "in the last day" : `in the last ${days} days`,
      isChosen: true
    }
  }
  const day = lastWorkingDay(now)
  const isYesterday = millis - DateTime.toEpochMillis(day) < 2 * dayMs
  return {
    from: DateTime.toEpochMillis(day),
    to: undefined,
    text: `since ${isYesterday ? "yesterday" : "Friday"}`,
    isChosen: false
  }
}

/** What the link to the span is called that a page has by itself. */
export const defaultSpanLabel = (now: DateTime.Utc): string =>
  spanOf({ days: undefined, from: undefined, to: undefined }, now).text.replace("since", "Since")

export const isWithin = ({ from, to }: Span, at: number): boolean => at >= from && (to === undefined || at < to)

const dayField = (name: "from" | "to", label: string, value: string | undefined): Html =>
  html`<label>${label} <input type="date" name="${name}" value="${value ?? ""}" /></label>`

/** Links to spans, and a form for dates; `hidden` are the other parameters of the page, `first` is the name of no span. */
export const spanLinks = (
  asked: AskedSpan,
  {
    action,
    first,
    hidden,
    pathOf
  }: {
    readonly action: string
    readonly first: string
    readonly hidden: Readonly<Record<string, string | undefined>>
    readonly pathOf: (span: AskedSpan) => string
  }
): Html => {
  const none = { days: undefined, from: undefined, to: undefined }
  const isDates = asked.from !== undefined || asked.to !== undefined
  return html`<div class="spans">
    ${chips(
      "Which time",
      [undefined, 7, 30].map((days) => ({
        label: days === undefined ? first : `${days} days`,
        path: pathOf({ ...none, days }),
        isShown: !isDates && asked.days === days
      }))
    )}
    <details ${isDates ? "open" : ""}>
      <summary>Dates</summary>
      <form method="get" action="${action}" aria-label="Dates">
        ${Object.entries(hidden).map(([name, value]) =>
          value === undefined ? "" : html`<input type="hidden" name="${name}" value="${value}" />`
        )}
        ${dayField("from", "From", asked.from)} ${dayField("to", "To", asked.to)}
        <button class="quiet">Show</button>
      </form>
    </details>
  </div>`
}

/** When a test broke, in milliseconds since 1970. */
export const brokenSince = ({ lastRunAt, summary: { failingSince } }: ListedTest): number =>
  failingSince?.at ?? DateTime.toEpochMillis(lastRunAt)

export const newestBreakFirst = (a: ListedTest, b: ListedTest): number => brokenSince(b) - brokenSince(a)

/** A broken test, and where it is from. */
interface BrokenTest {
  readonly test: ListedTest
  readonly branch: string | undefined
  readonly repository: Repository
  /** CI runs among which the one that broke it is sought, for its author. */
  readonly ciRuns: ReadonlyArray<CiRun>
  /** The last pass on another branch, where there is none on `branch`. */
  readonly passedOn?: { readonly branch: string | undefined; readonly run: RunPoint | undefined } | undefined
  readonly withRepository?: boolean
}

const unseenName = (test: ListedTest): Html =>
  html`<span class="unseen"> of <bdi>${shortText(testName(test), 60)}</bdi></span>`

/** The title and the author of a commit, if it is of one of some CI runs. */
const changeHtml = (ciRuns: ReadonlyArray<CiRun>, commitSha: string | undefined): Html | undefined => {
  const { author, commitMessage } = ciRuns.find((one) => one.commitSha === commitSha) ?? {}
  const title = commitTitle(commitMessage, 80)
  const by = author === undefined ? undefined : html`by <bdi>${shortText(author, 60)}</bdi>`
  if (commitSha === undefined || (title === undefined && by === undefined)) return undefined
  return html`<p>
    ${joinHtml([...(title === undefined ? [] : [html`<bdi>${title}</bdi>`]), ...(by === undefined ? [] : [by])], ", ")}
  </p>`
}

/** A broken test as an item of a list: its message, the commit that broke it with its author, and links to the cause. */
export const brokenItem = (
  base: string,
  { branch, ciRuns, passedOn, repository, test, withRepository = false }: BrokenTest
): Html => {
  const { failingSince, failuresInARow, lastMessage, recent } = test.summary
  const lastPassed = test.summary.lastPassed ?? passedOn?.run
  const where =
    test.summary.lastPassed === undefined && passedOn?.branch !== undefined
      ? html`on ${code(shortText(passedOn.branch, 60))} `
      : ""
  const diff = diffLink(repository, lastPassed?.commitSha, failingSince?.commitSha)
  const runLink = ({ runId }: RunPoint, label: string) =>
    html`<a href="${base + paths.run(runId)}">${label}${unseenName(test)}</a>`
  const ways = [
    ...(failingSince === undefined || lastPassed === undefined
      ? []
      : [
          html`<a class="button quiet" href="${base + paths.compare(lastPassed.runId, failingSince.runId)}"
            >Compare with the last pass${unseenName(test)}</a
          >`
        ]),
    ...(diff === undefined ? [] : [diff]),
    ...(failingSince === undefined ? [] : [runLink(failingSince, "First failure")]),
    ...(lastPassed === undefined ? [] : [runLink(lastPassed, "Last pass")])
  ]
  const details = [...(withRepository ? [repositoryHtml(repository)] : []), ...testDetails(test)]
  return html`<li>
    <div class="who-what">
      ${testLink(base, test, branch)} ${failedInQuarantine(test) ? pill("quarantined", "Quarantined") : ""}
      <span class="type">${joinHtml(details, " · ")}</span>
      ${messageHtml(lastMessage)}
    </div>
    <div class="since">
      ${
        failingSince === undefined
          ? ""
          : html`<p>
                Broken since ${commitHtml(failingSince, repository)},
                <strong>${momentHtml(failingSince.at)}</strong>
              </p>
              ${changeHtml(ciRuns, failingSince.commitSha)}
              <p class="type">
                ${failuresInARow === 1 ? "failed once" : `failed ${counted(failuresInARow, "time")} in a row`} ·
                ${lastPassed === undefined ? "never passed" : html`last passed ${where}at ${commitHtml(lastPassed, repository)}`}
              </p>`
      }
      <p class="choices">${joinHtml(ways, " ")}</p>
    </div>
    ${sparkline(recent)}
  </li>`
}
