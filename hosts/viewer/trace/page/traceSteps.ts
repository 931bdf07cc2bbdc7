import { html, type Html } from "../../ui/html.ts"
import { barsOf, timelineWidth } from "../bars.ts"
import { hashOf } from "../moment.ts"
import { signs, describeStep } from "../stepText.ts"
import type { KnownSteps, Step } from "../steps.ts"

const stepItem = (
  step: Step,
  {
    isOpen,
    length,
    message
  }: { readonly isOpen: boolean; readonly length: number; readonly message: string | undefined }
): Html => {
  const { depth, summary: how, isCut, mark, name, status, took } = describeStep(step)
  const [bar] = barsOf([step], length)
  return html`<li class="step ${mark} deep-${depth}">
    <details ${isOpen ? "open" : ""}>
      <summary>
        <span class="sign" aria-hidden="true">${signs[mark]}</span>
        <bdi class="what">${name}</bdi>
        <span class="unseen status">${status}</span>
        <span class="took">${took}</span>
        <svg class="bar" viewBox="0 0 ${timelineWidth} 1" preserveAspectRatio="none" aria-hidden="true">
          <rect x="${bar?.x ?? 0}" width="${bar?.width ?? 0}" height="1" />
        </svg>
      </summary>
      <div class="body">
        <p class="how"><bdi>${how}</bdi></p>
        <p class="moments">
          <a href="${hashOf(step.from)}">Before</a>
          <a href="${hashOf(step.to ?? step.from)}" ${step.to === undefined ? "hidden" : ""}>After</a>
        </p>
        <p class="full" ${isCut ? "" : "hidden"}><bdi>${step.name}</bdi></p>
        <pre dir="auto" role="group" tabindex="0" aria-label="Message" ${message === undefined ? "hidden" : ""}>
${message ?? ""}</pre>
      </div>
    </details>
  </li>`
}

const blank: Step = { index: 0, name: "", status: "", from: 0, to: undefined, depth: 0, message: undefined }

/** The steps of a run, the one that failed open with its message. */
export const stepsSection = (
  { isWhole, steps }: KnownSteps,
  run: {
    readonly failing: Step | undefined
    readonly failureMessage: string | undefined
    readonly length: number
  }
): Html =>
  html`<section class="card steps" aria-labelledby="steps">
    <h2 id="steps">Steps <span class="count">${steps.length}${isWhole ? "" : " and more"}</span></h2>
    <p class="none" ${steps.length > 0 ? "hidden" : ""}>No steps among the events.</p>
    <ol class="scroll">
      ${steps.map((step) => {
        const isOpen = step.index === run.failing?.index
        return stepItem(step, {
          isOpen,
          length: run.length,
          // The failure of the run is shown above the steps, and not again.
          message: isOpen && (run.failureMessage ?? step.message) === step.message ? undefined : step.message
        })
      })}
    </ol>
    <p class="more" ${isWhole ? "hidden" : ""}>The events have more steps than are shown here.</p>
    <template>${stepItem(blank, { isOpen: false, length: 0, message: undefined })}</template>
  </section>`
