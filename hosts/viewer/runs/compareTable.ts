import { html, type Html } from "../ui/html.ts"
import { differenceOf, type Difference, type Pair } from "../trace/align.ts"
import { clockText } from "../trace/clockText.ts"
import type { CommonClock, Side } from "../trace/commonClock.ts"
import { markOf, signs } from "../trace/stepText.ts"
import { lengthOf, momentOf, type Step } from "../trace/steps.ts"
import { durationText, shortText } from "../ui/text.ts"

const shownName = 160

/** What the two runs are called, as the headings of columns. */
export type SideNames = Readonly<Record<Side, string>>

/** The name of a side in a sentence. */
export const inText = (name: string): string => name.toLowerCase()

/** How two steps differ, in words. */
const differenceText = (difference: Difference, { left, right }: Pair, names: SideNames): string => {
  if (difference === "only-left") return `Only in the ${inText(names.left)}`
  if (difference === "only-right") return `Only in the ${inText(names.right)}`
  if (left === undefined || right === undefined || difference === "same") return "The same"
  if (difference === "status") return `${shortText(left.status, 40)} → ${shortText(right.status, 40)}`
  if (difference === "message") return "Other message"
  const change = durationText(Math.abs(lengthOf(right) - lengthOf(left)))
  return `${change} ${difference} in the ${inText(names.right)}`
}

/** A step of a run. The message of a failure that the page shows above is not shown again. */
const cell = (step: Step | undefined, name: string, failureMessage: string | undefined): Html => {
  if (step === undefined)
    return html`<td class="missing" data-of="${name}">–<span class="unseen"> not there</span></td>`
  const mark = markOf(step)
  return html`<td class="${mark}" data-of="${name}">
    <span class="sign" aria-hidden="true">${signs[mark]}</span>
    <bdi>${shortText(step.status, 40)}</bdi>
    <span class="type"
      ><span class="from">at ${clockText(step.from)}${step.to === undefined ? "" : ","} </span
      >${step.to === undefined ? "" : durationText(lengthOf(step))}</span
    >
    ${step.message === undefined || step.message === failureMessage ? "" : html`<pre dir="auto" role="group" tabindex="0" aria-label="Message">${step.message}</pre>`}
  </td>`
}

/** The time of a pair of steps on the shared clock: the later one, because the other run waits. */
const timeOf = ({ left, right }: Pair, clock: CommonClock, of: (step: Step) => number): number =>
  Math.max(
    left === undefined ? 0 : clock.timeOf("left", of(left)),
    right === undefined ? 0 : clock.timeOf("right", of(right))
  )

const row = (
  pair: Pair,
  clock: CommonClock,
  names: SideNames,
  [ofLeft, ofRight]: ReadonlyArray<string | undefined>
): Html => {
  const { left, right } = pair
  const difference = differenceOf(pair)
  const [begin, moment] = [timeOf(pair, clock, ({ from }) => from), timeOf(pair, clock, momentOf)]
  const name = shortText(left?.name ?? right?.name ?? "", shownName)
  return html`<tr class="${difference}" data-t="${begin}" data-moment="${moment}">
    <th scope="row">
      <button type="button" class="go" disabled><bdi>${name}</bdi></button>
    </th>
    ${cell(left, names.left, ofLeft)} ${cell(right, names.right, ofRight)}
    <td class="difference">${differenceText(difference, pair, names)}</td>
  </tr>`
}

/** A table of pairs described by `of`, with the left value, the right value and the difference. */
export const pairTable = (of: string, names: SideNames, rows: ReadonlyArray<Html>): Html =>
  html`<div class="fit">
    <table class="pairs">
      <thead>
        <tr>
          <th scope="col">${of}</th>
          <th scope="col">${names.left}</th>
          <th scope="col">${names.right}</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/** The steps of two runs with matching ones side by side, and their differences. */
export const compareTable = (
  pairs: ReadonlyArray<Pair>,
  clock: CommonClock,
  names: SideNames,
  failureMessages: ReadonlyArray<string | undefined>
): Html =>
  pairTable(
    "Step",
    names,
    pairs.map((pair) => row(pair, clock, names, failureMessages))
  )
