import { DateTime } from "effect"
import { html, type Html } from "../ui/html.ts"
import type { TestRun, TestRunView } from "../../../core/model/TestRun.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import type { Attempts } from "../../../core/service/TestRuns.ts"
import { paths } from "../access/paths.ts"
import { runStatuses } from "../ui/facts.ts"
import { attemptLink } from "../ui/lists.ts"
import { shortText, timeHtml } from "../ui/text.ts"

/** The runs beside one, of the same repository and name. */
export interface RunsNearby {
  readonly previous: TestRunView | undefined
  readonly next: TestRunView | undefined
  /** The runs before it, the latest first. */
  readonly earlier: ReadonlyArray<TestRunView>
  /** The attempts at the test in its CI run. */
  readonly attempts: Attempts
}

const link = (base: string, { run }: TestRunView, label: string, rel: "prev" | "next"): Html =>
  html`<a href="${base + paths.run(run.id)}" rel="${rel}">${label}</a>
    <span class="type">${runStatuses[run.status]}, ${timeHtml(run.createdAt)}</span>`

const option = ({ run }: TestRunView): Html => {
  const made = DateTime.formatIso(run.createdAt).slice(0, 16).replace("T", " ")
  const of = [
    ...(run.branch === undefined ? [] : [` on ${shortText(run.branch, 40)}`]),
    ...(run.commitSha === undefined ? [] : [` at ${run.commitSha.slice(0, 7)}`])
  ]
  return html`<option value="${run.id}">${runStatuses[run.status]}, ${made} UTC${of.join("")}</option>`
}

/** The attempts at a test in its CI run, where there are several; of one that was replaced, that it was. */
export const attemptsNearby = (base: string, id: string, attempts: Attempts): Html | undefined => {
  const latest = attempts.length - 1
  const tabs = attempts.map(
    ({ run }, index) =>
      html`<a href="${base + paths.run(run.id)}" ${run.id === id ? html`aria-current="page"` : ""}
        >${attemptName(run, latest - index)}
        <span class="${run.status}">${runStatuses[run.status].toLowerCase()}</span></a
      >`
  )
  const [{ run }] = attempts
  return latest === 0
    ? undefined
    : html`${
          run.id === id
            ? ""
            : html`<p class="notice" role="status">
                A later attempt of this CI run replaced this run: ${attemptLink(base, run, latest)}.
              </p>`
        }
        <nav class="tabs attempts" aria-label="Attempts in this CI run">${tabs.toReversed()}</nav>`
}

/** The comparison that a run suggests: of a failure with the last run that passed, if possible. Only one with a failure stands out. */
const comparison = (
  base: string,
  { id, status }: Pick<TestRun, "id" | "status">,
  { earlier, next, previous }: RunsNearby
): Html => {
  if (status === "passed" && next?.run.status === "failed") {
    return html`<a class="button" href="${base + paths.compare(id, next.run.id)}"
      >Compare with the next run, which failed</a
    >`
  }
  const other = earlier.find(({ run }) => run.status === "passed") ?? previous
  if (other === undefined) return html``
  const isQuiet = status === "passed" && other.run.status === "passed"
  return html`<a class="button${isQuiet ? " quiet" : ""}" href="${base + paths.compare(other.run.id, id)}"
    >Compare with the ${other.run.status === "passed" ? "last one that passed" : "previous run"}</a
  >`
}

/** Links from a run to others of the same name: the previous and the next one, and comparisons. */
export const runsNearby = (base: string, run: Pick<TestRun, "id" | "status">, nearby: RunsNearby): Html | undefined => {
  const { earlier, next, previous } = nearby
  if (earlier.length === 0 && previous === undefined && next === undefined) return undefined
  return html`<nav class="nearby" aria-label="Runs of this name">
    ${comparison(base, run, nearby)}
    ${previous === undefined ? "" : html`<span>${link(base, previous, "Previous run", "prev")}</span>`}
    ${next === undefined ? "" : html`<span>${link(base, next, "Next run", "next")}</span>`}
    ${
      earlier.length < 2
        ? ""
        : html`<details>
            <summary>Compare with another run</summary>
            <form method="get" action="${base}/compare">
              <label for="left">Compare with</label>
              <select id="left" name="left">
                ${earlier.map(option)}
              </select>
              <input type="hidden" name="right" value="${run.id}" />
              <button class="quiet">Compare</button>
            </form>
          </details>`
    }
  </nav>`
}
