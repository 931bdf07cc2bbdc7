import { clockText } from "../clockText.ts"
import { hashOf } from "../moment.ts"
import { describeStep } from "../stepText.ts"
import { momentOf, type Step } from "../steps.ts"
import { make, parts } from "../../ui/dom.ts"

/** The message that the page shows as the failure of the run; it isn't shown again. */
export const failureText = (): string | undefined => document.querySelector(".failure pre")?.textContent ?? undefined

/** Shows above the trace where and why a run failed, if the page was made without that. */
export const showFailure = (step: Step): void => {
  const [location] = parts(document, ".failed-at", HTMLElement)
  if (location === undefined) return
  const moment = make("a", "moment", `at ${clockText(momentOf(step))}`)
  moment.href = hashOf(momentOf(step))
  location.replaceChildren(
    "Step ",
    make("strong", "", String(step.index + 1)),
    ", ",
    make("bdi", "", describeStep(step).name),
    ", ",
    moment
  )
  location.hidden = false
  const [unsaid] = parts(document, ".failure .unsaid", HTMLElement)
  if (unsaid === undefined || step.message === undefined) return
  const message = make("pre", "", step.message)
  message.dir = "auto"
  message.tabIndex = 0
  message.role = "group"
  message.setAttribute("aria-labelledby", "failure")
  unsaid.replaceWith(message)
}
