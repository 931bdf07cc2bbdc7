import type { TestOutcome } from "../../../../core/model/TestHistory.ts"
import { html, type Html } from "../html.ts"
import { mark, outcomes } from "./marks.ts"

/** A result, and the page that shows it. */
export interface Square {
  readonly outcome: TestOutcome
  readonly href: string
  /** When it was, and of which commit. */
  readonly detail: string
}

/** Results as squares that are links, in the order of a text. */
export const squares = (results: ReadonlyArray<Square>): Html =>
  html`<ol class="squares">
    ${results.map(
      ({ detail, href, outcome }) =>
        html`<li>
          <a class="cell" href="${href}" title="${outcomes[outcome]}, ${detail}"
            >${mark(outcome)}<span class="unseen">${outcomes[outcome]}, ${detail}</span></a
          >
        </li>`
    )}
  </ol>`
