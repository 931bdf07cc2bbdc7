import type { StepResult } from "../../../phone/flows/runFlow.ts"
import { bringIntoView, make, setText } from "../../ui/dom.ts"

/** The most steps that are listed: a flow may repeat some. */
const mostListed = 500

const marks: Readonly<Record<StepResult["status"] | "running", string>> = {
  running: "Running",
  passed: "Passed",
  failed: "Failed",
  warned: "Warned",
  skipped: "Skipped"
}

/** A list of steps with their results. It is hidden while it is empty. */
export const makeStepList = (list: HTMLElement) => ({
  /** Adds a step; the answer receives its result. */
  add: (name: string, depth: number) => {
    const item = make("li", "running")
    item.style.setProperty("--depth", String(depth))
    const [mark, label, reason] = [
      make("span", "mark", marks.running),
      make("span", "name", name),
      make("span", "reason")
    ]
    item.append(mark, label, reason)
    list.append(item)
    if (list.childElementCount > mostListed) list.firstElementChild?.remove()
    list.hidden = false
    bringIntoView(list, item)
    return ({ reason: why, status }: StepResult): void => {
      item.className = status
      setText(mark, marks[status])
      setText(reason, why ?? "")
      bringIntoView(list, item)
    }
  },
  clear: (): void => {
    list.replaceChildren()
    list.hidden = true
  }
})
