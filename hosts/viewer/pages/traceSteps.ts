import { html } from "ghtml"
import type { RecordedSteps } from "../recordedSteps.ts"
import { barsOf, timelineWidth } from "../trace/bars.ts"
import { clockText } from "../trace/clockText.ts"
import { depthOf, markOf, signs } from "../trace/stepText.ts"
import { lengthOf } from "../trace/steps.ts"
import type { Step } from "../trace/steps.ts"
import { durationText, shortText } from "./text.ts"

const shownName = 160

/** How a step went, in a sentence. */
export const howText = (step: Step): string => {
  const { from, status, to } = step
  const said = shortText(status, 40)
  return to === undefined
    ? `${said}, from ${clockText(from)}, never ended`
    : `${said}, from ${clockText(from)} to ${clockText(to)}, ${durationText(lengthOf(step))}`
}

const stepItem = (
  step: Step,
  { isOpen, length, message }: { readonly isOpen: boolean; readonly length: number; readonly message: string | undefined }
): string => {
  const mark = markOf(step)
  const name = shortText(step.name, shownName)
  const [bar] = barsOf([step], length)
  return html`<li class="step ${mark} deep-${depthOf(step)}">
    <details !${isOpen ? "open" : ""}>
      <summary>
        <span class="sign" aria-hidden="true">${signs[mark]}</span>
        <span class="what"><bdi>${name}</bdi></span>
        <span class="unseen">, ${shortText(step.status, 40)},</span>
        <span class="when">${step.to === undefined ? "" : durationText(lengthOf(step))}</span>
        <svg class="bar" viewBox="0 0 ${timelineWidth} 1" preserveAspectRatio="none" aria-hidden="true">
          <rect x="${bar?.x ?? 0}" width="${bar?.width ?? 0}" height="1" />
        </svg>
      </summary>
      <div class="body">
        <p class="how"><bdi>${howText(step)}</bdi></p>
        <p class="full" !${name === step.name ? "hidden" : ""}><bdi>${step.name}</bdi></p>
        <pre dir="auto" role="group" tabindex="0" aria-label="Message" !${message === undefined ? "hidden" : ""}>${message ?? ""}</pre>
      </div>
    </details>
  </li>`
}

const blank: Step = { index: 0, name: "", status: "", from: 0, to: undefined, depth: 0, message: undefined }

/** The steps of a run, the one with which it broke open with what was said of the failure. */
export const stepsSection = (
  { isWhole, steps }: RecordedSteps,
  run: {
    readonly breaking: Step | undefined
    readonly failureMessage: string | undefined
    readonly length: number
    readonly hasEvents: boolean
  }
): string =>
  html`<section class="card steps" aria-labelledby="steps">
    <h2 id="steps">Steps <span class="count">${steps.length}${isWhole ? "" : " and more"}</span></h2>
    <p class="none" !${steps.length > 0 ? "hidden" : ""}>
      ${run.hasEvents ? "No steps among the events." : "No events were recorded, so no steps are known."}
    </p>
    <ol class="scroll">
      !${steps.map((step) => {
        const isOpen = step.index === run.breaking?.index
        return stepItem(step, {
          isOpen,
          length: run.length,
          message: step.message ?? (isOpen ? run.failureMessage : undefined)
        })
      })}
    </ol>
    <p class="more" !${isWhole ? "hidden" : ""}>The events tell of more steps than are shown here.</p>
    <template>!${stepItem(blank, { isOpen: false, length: 0, message: undefined })}</template>
  </section>`
