import { barsOf } from "../bars.ts"
import { signs, describeStep } from "../stepText.ts"
import type { Step } from "../steps.ts"
import { failureText } from "./failure.ts"
import { hashOf } from "../moment.ts"
import { beginning, part, parts, setText } from "../../ui/dom.ts"

/** How much of a name and of a message is shown. */
const most = 20_000

/** Writes a step into the element that its page has for one. */
export const writeStep = (item: HTMLElement, step: Step, length: number): void => {
  const { depth, summary: how, isCut, mark, name, status, took } = describeStep(step)
  const [bar] = barsOf([step], length)
  item.className = `step ${mark} deep-${depth}`
  setText(part(item, ".sign", HTMLElement), signs[mark])
  setText(part(item, ".what", HTMLElement), name)
  setText(part(item, ".status", HTMLElement), status)
  setText(part(item, ".took", HTMLElement), took)
  setText(part(item, ".how bdi", HTMLElement), how)
  const drawn = part(item, "rect", SVGRectElement)
  drawn.setAttribute("x", String(bar?.x ?? 0))
  drawn.setAttribute("width", String(bar?.width ?? 0))
  const [before, after] = parts(item, ".moments a", HTMLAnchorElement)
  if (before !== undefined && after !== undefined) {
    before.href = hashOf(step.from)
    after.href = hashOf(step.to ?? step.from)
    after.hidden = step.to === undefined
  }
  const full = part(item, ".full", HTMLElement)
  full.hidden = !isCut
  setText(part(full, "bdi", HTMLElement), beginning(step.name, most))
  const message = part(item, "pre", HTMLElement)
  if (step.message === undefined) return
  message.hidden = step.message === failureText()
  setText(message, beginning(step.message, most))
}
