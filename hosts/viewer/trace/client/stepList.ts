import { failingStep, momentOf, stepAt, type KnownSteps, type Step } from "../steps.ts"
import type { TraceData } from "../traceData.ts"
import type { Clock, Move } from "./clock.ts"
import { bringIntoView, markCurrent, part, parts, setText } from "../../ui/dom.ts"
import { showFailure } from "./failure.ts"
import { slices } from "./slices.ts"
import { writeStep } from "./stepItem.ts"

/** The list of steps on a run's page: the current step, and navigation between steps. */
export interface StepList {
  /** Shows the steps that are known now. */
  readonly update: (known: KnownSteps) => Promise<void>
  readonly next: () => void
  readonly before: () => void
  /** Selects the step that failed; `false` if none is known. */
  readonly goToFailure: () => boolean
  readonly current: () => Step | undefined
  /** The current step: the one that a person selected, or the one that failed. */
  readonly meant: () => Step | undefined
}

/** The list of a page without steps. */
export const noSteps: StepList = {
  update: () => Promise.resolve(),
  next: () => undefined,
  before: () => undefined,
  goToFailure: () => false,
  current: () => undefined,
  meant: () => undefined
}

/** How many steps are listed. The step that failed is always listed. */
const most = 5000

/** Enhances the list of steps of a page. */
export const makeStepList = (section: HTMLElement, clock: Clock, data: TraceData): StepList => {
  const list = part(section, "ol", HTMLOListElement)
  const template = part(section, "template", HTMLTemplateElement)
  /** The elements of the listed steps by index: the first ones, and the one that failed. */
  const items = new Map(parts(list, "li", HTMLElement).entries())
  let { steps } = data
  let picked: Step | undefined
  let current: Step | undefined
  let marked: HTMLElement | undefined
  /** The one summary that the Tab key stops at. */
  let entry: HTMLElement | undefined
  /** A step that was opened because it was selected, and is closed when another one is. */
  let opened: HTMLDetailsElement | undefined

  for (const root of [list, template.content]) {
    for (const summary of parts(root, "summary", HTMLElement)) summary.tabIndex = -1
  }
  const blank = (): HTMLElement => part(document.importNode(template.content, true), "li", HTMLElement)

  const itemOf = (step: Step | undefined): HTMLElement | undefined => items.get(step?.index ?? -1)

  const detailsOf = (step: Step | undefined) => itemOf(step)?.querySelector("details") ?? undefined
  const summaryOf = (step: Step | undefined) => itemOf(step)?.querySelector("summary") ?? undefined

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

  const findFailing = (): Step | undefined => (data.isFailed ? failingStep(steps, data.failedStepIndex) : undefined)
  let failing = findFailing()

  /** The step that a moment stands for: the one that a person selected, or the one that failed. */
  const meant = (t: number): Step | undefined =>
    // An address names a moment to the millisecond.
    [picked, failing].find((step) => step !== undefined && Math.abs(momentOf(step) - t) < 1)
  const standing = (t: number): Step | undefined => meant(t) ?? stepAt(steps, t)

  /** Makes the Tab key stop at a step. The focus moves along when a person moves from step to step. */
  const enterAt = (summary: HTMLElement | undefined, move: Move): void => {
    if (summary === undefined || summary === entry) return
    const wasHere = entry !== undefined && document.activeElement === entry
    if (entry !== undefined) entry.tabIndex = -1
    entry = summary
    entry.tabIndex = 0
    if (wasHere && move === "seek") entry.focus({ preventScroll: true })
  }

  const show = (t: number, move: Move): void => {
    current = standing(t)
    const item = itemOf(current)
    markCurrent(marked, item, "step")
    marked = item
    enterAt(summaryOf(current) ?? entry ?? summaryOf(steps[0]), move)
    if (current === undefined || item === undefined) return
    if (move === "seek" && current === meant(t)) open(current)
    bringIntoView(list, item)
  }
  clock.onMove(({ t }, move) => show(t, move))

  /** The step whose summary contains an element. */
  const stepWith = (target: EventTarget | null): Step | undefined => {
    const item = target instanceof Element ? target.closest("summary")?.closest("li") : undefined
    const [index] = [...items].find(([, one]) => one === item) ?? []
    return index === undefined ? undefined : steps[index]
  }

  list.addEventListener("click", ({ target }) => {
    const step = stepWith(target)
    // The browser opens and closes the pressed step. It isn't closed when another one is selected.
    if (opened === detailsOf(step)) opened = undefined
    pick(step)
  })

  /** The index of the clock's step. `current` may be older: it changes once a frame. */
  const index = (): number => standing(clock.state().t)?.index ?? -1
  const next = (): void => pick(steps[index() + 1])
  const before = (): void => pick(steps[Math.max(index() - 1, 0)])

  list.addEventListener("keydown", (event) => {
    const { altKey, ctrlKey, key, metaKey, target } = event
    if (altKey || ctrlKey || metaKey || stepWith(target) === undefined) return
    const act = new Map([
      ["ArrowDown", next],
      ["ArrowUp", before]
    ]).get(key)
    if (act === undefined) return
    event.preventDefault()
    act()
  })

  return {
    update: async ({ isWhole, steps: known }) => {
      const { length } = clock.state()
      const breathe = slices()
      steps = known
      const count = known.length.toLocaleString("en-GB")
      setText(part(section, ".count", HTMLElement), isWhole ? count : `${count} and more`)
      part(section, ".none", HTMLElement).hidden = known.length > 0
      part(section, ".more", HTMLElement).hidden = known.length <= most
      failing = findFailing()
      if (failing !== undefined) showFailure(failing)
      for (const step of [
        ...known.slice(0, most),
        ...(failing === undefined || failing.index < most ? [] : [failing])
      ]) {
        const item = itemOf(step) ?? blank()
        writeStep(item, step, length)
        if (itemOf(step) === undefined) {
          items.set(step.index, item)
          list.append(item)
        }
        await breathe()
      }
      show(clock.state().t, "tick")
    },
    next,
    before,
    meant: () => meant(clock.state().t),
    goToFailure: () => {
      pick(failing)
      return failing !== undefined
    },
    current: () => current
  }
}
