import { html, type Html } from "../ui/html.ts"
import { differenceOf, type Difference, type Pair } from "../trace/align.ts"
import { clockText } from "../trace/clockText.ts"
import type { CommonClock } from "../trace/commonClock.ts"
import { markOf, signs } from "../trace/stepText.ts"
import { lengthOf, momentOf, type Step } from "../trace/steps.ts"
import { durationText, shortText } from "../ui/text.ts"

const shownName = 160

/** How two steps differ, in words. */
const differenceText = (difference: Difference, { left, right }: Pair): string => {
  if (difference === "only-left") return "Only on the left"
  if (difference === "only-right") return "Only on the right"
  if (left === undefined || right === undefined || difference === "same") return "The same"
  if (difference === "status")
    return `${shortText(left.status, 40)} on the left, ${shortText(right.status, 40)} on the right`
  if (difference === "message") return "Other message"
  const change = durationText(Math.abs(lengthOf(right) - lengthOf(left)))
  return difference === "slower" ? `${change} slower on the right` : `${change} faster on the right`
}

const side = (step: Step | undefined): Html => {
  if (step === undefined) return html`<td class="missing">–<span class="unseen"> not there</span></td>`
  const mark = markOf(step)
  return html`<td class="${mark}">
    <span class="sign" aria-hidden="true">${signs[mark]}</span> <bdi>${shortText(step.status, 40)}</bdi>
    <span class="type"
      >at ${clockText(step.from)}${step.to === undefined ? "" : `, ${durationText(lengthOf(step))}`}</span
    >
    ${step.message === undefined ? "" : html`<pre dir="auto" role="group" tabindex="0" aria-label="Message">${step.message}</pre>`}
  </td>`
}

/** The time of a pair of steps on the shared clock: the later one, because the other run waits. */
const timeOf = ({ left, right }: Pair, clock: CommonClock, of: (step: Step) => number): number =>
  Math.max(
    left === undefined ? 0 : clock.timeOf("left", of(left)),
    right === undefined ? 0 : clock.timeOf("right", of(right))
  )

const row = (pair: Pair, clock: CommonClock): Html => {
  const { left, right } = pair
  const difference = differenceOf(pair)
  const [begin, moment] = [timeOf(pair, clock, ({ from }) => from), timeOf(pair, clock, momentOf)]
  const name = shortText(left?.name ?? right?.name ?? "", shownName)
  return html`<tr class="${difference}" data-t="${begin}" data-moment="${moment}">
    <th scope="row">
      <bdi>${name}</bdi>
      <button type="button" class="quiet go" aria-label="Show ${name}" hidden>Show</button>
    </th>
    ${side(left)} ${side(right)}
    <td class="difference">${differenceText(difference, pair)}</td>
  </tr>`
}

/** A table of pairs described by `of`, with the left value, the right value and the difference. */
export const pairTable = (of: string, rows: ReadonlyArray<Html>): Html =>
  html`<div class="fit">
    <table class="pairs">
      <thead>
        <tr>
          <th scope="col">${of}</th>
          <th scope="col">Left</th>
          <th scope="col">Right</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/** The steps of two runs with matching ones side by side, and their differences. */
export const compareTable = (pairs: ReadonlyArray<Pair>, clock: CommonClock): Html =>
  pairTable(
    "Step",
    pairs.map((pair) => row(pair, clock))
  )
