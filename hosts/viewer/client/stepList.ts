import { barsOf, mostBars } from "../trace/bars.ts"
import { clockText } from "../trace/clockText.ts"
import { hashOf } from "../trace/moment.ts"
import { signs, told as toldStep } from "../trace/stepText.ts"
import { breakingStep, momentOf, stepAt } from "../trace/steps.ts"
import type { Step } from "../trace/steps.ts"
import type { TraceData } from "../trace/traceData.ts"
import type { Clock } from "./clock.ts"
import { bringIntoView, make, markCurrent, part, parts, setText } from "./dom.ts"
import { slices } from "./slices.ts"

/** The steps of a run on its page: where the clock is among them, and the ways from one to another. */
export interface StepList {
  /** What is known of the steps now. */
  readonly update: (steps: ReadonlyArray<Step>) => Promise<void>
  readonly next: () => void
  readonly before: () => void
  /** Goes to the step with which the run broke; `false` where it didn't, or it isn't known. */
  readonly goToBreaking: () => boolean
  readonly current: () => Step | undefined
}

/** That of a page without steps. */
export const noSteps: StepList = {
  update: () => Promise.resolve(),
  next: () => undefined,
  before: () => undefined,
  goToBreaking: () => false,
  current: () => undefined
}

/** Tells where a run broke, above the trace, where the page wasn't made with it. */
const tellBreaking = (step: Step): void => {
  const [told] = parts(document, ".broke", HTMLElement)
  if (told === undefined) return
  const moment = make("a", "moment", `at ${clockText(momentOf(step))}`)
  moment.href = hashOf(momentOf(step))
  told.replaceChildren(
    "Step ",
    make("strong", "", String(step.index + 1)),
    ", ",
    make("bdi", "", toldStep(step).name),
    ", ",
    moment
  )
  told.hidden = false
}

/** Writes a step into the element that its page has for one. */
const write = (item: HTMLElement, step: Step, length: number): void => {
  const { depth, how, isCut, mark, name, status, took } = toldStep(step)
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
  const full = part(item, ".full", HTMLElement)
  full.hidden = !isCut
  setText(part(full, "bdi", HTMLElement), step.name)
  const message = part(item, "pre", HTMLElement)
  if (step.message === undefined) return
  message.hidden = false
  setText(message, step.message)
}

/** Takes over the list of steps of a page. */
export const makeStepList = (section: HTMLElement, clock: Clock, data: TraceData): StepList => {
  const list = part(section, "ol", HTMLOListElement)
  const template = part(section, "template", HTMLTemplateElement)
  const items = [...parts(list, "li", HTMLElement)]
  let { steps } = data
  let picked: Step | undefined
  let current: Step | undefined
  /** What was opened because somebody went there, and is closed when they leave. */
  let opened: HTMLDetailsElement | undefined

  const blank = (): HTMLElement => part(document.importNode(template.content, true), "li", HTMLElement)

  const detailsOf = (step: Pick<Step, "index">): HTMLDetailsElement | undefined => {
    const found = items[step.index]?.querySelector("details")
    return found instanceof HTMLDetailsElement ? found : undefined
  }

  const open = (step: Step): void => {
    const details = detailsOf(step)
    if (opened !== details && opened !== undefined) opened.open = false
    if (details === undefined || details.open) return
    details.open = true
    opened = details
  }

  const pick = (step: Step | undefined): void => {
    if (step === undefined) return
    picked = step
    clock.pause()
    clock.seek(momentOf(step))
  }

  const isPicked = (t: number): boolean => picked !== undefined && momentOf(picked) === t
  const standing = (t: number): Step | undefined => (isPicked(t) ? picked : stepAt(steps, t))

  clock.onMove(({ t }, move) => {
    const now = standing(t)
    markCurrent(items[current?.index ?? -1], items[now?.index ?? -1], "step")
    current = now
    const item = items[now?.index ?? -1]
    if (now === undefined || item === undefined) return
    if (isPicked(t) && move === "seek") open(now)
    bringIntoView(list, item)
  })

  list.addEventListener("click", (event) => {
    const summary = event.target instanceof Element ? event.target.closest("summary") : null
    const index = items.findIndex((item) => summary !== null && item.contains(summary))
    if (index < 0) return
    // The browser opens and closes what is pressed; it stays as people leave it.
    if (opened === detailsOf(steps[index] ?? { index })) opened = undefined
    pick(steps[index])
  })

  /** Where the clock is by now: what was gone to within this frame isn't shown yet. */
  const index = (): number => standing(clock.state().t)?.index ?? -1

  return {
    update: async (known) => {
      const { length } = clock.state()
      const breathe = slices()
      steps = known
      setText(part(section, ".count", HTMLElement), String(known.length))
      part(section, ".none", HTMLElement).hidden = known.length > 0
      part(section, ".more", HTMLElement).hidden = known.length <= mostBars
      for (const step of known.slice(0, mostBars)) {
        const item = items[step.index] ?? blank()
        write(item, step, length)
        if (items[step.index] === undefined) {
          items.push(item)
          list.append(item)
        }
        await breathe()
      }
    },
    next: () => pick(steps[index() + 1]),
    before: () => pick(steps[Math.max(index() - 1, 0)]),
    goToBreaking: () => {
      const breaking = data.isFailed ? breakingStep(steps, data.failedStepIndex) : undefined
      pick(breaking)
      if (breaking !== undefined) tellBreaking(breaking)
      return breaking !== undefined
    },
    current: () => current
  }
}
