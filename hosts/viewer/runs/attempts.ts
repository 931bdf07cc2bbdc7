import { html, type Html } from "../ui/html.ts"
import type { RunAttempt, TestRun } from "../../../core/model/TestRun.ts"
import { runStatuses } from "../ui/facts.ts"
import { durationText } from "../ui/text.ts"

const attempt = ({ durationMs, failureMessage, status }: RunAttempt, index: number): Html =>
  html`<li>
    <span class="pill ${status}">${runStatuses[status]}</span>
    ${durationMs === undefined ? "" : html`<span class="type">${durationText(durationMs)}</span>`}
    ${failureMessage === undefined ? "" : html`<pre dir="auto" role="group" tabindex="0" aria-label="Failure of attempt ${index + 1}">${failureMessage}</pre>`}
  </li>`

/** The attempts at a test that was tried more than once, the first one first. */
export const attemptSection = ({ attempts = [] }: TestRun): Html | undefined =>
  attempts.length < 2
    ? undefined
    : html`<section class="card attempts" aria-labelledby="attempts">
        <h2 id="attempts">Attempts <span class="count">${attempts.length}</span></h2>
        <ol>
          ${attempts.map(attempt)}
        </ol>
      </section>`
