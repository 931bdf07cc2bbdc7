/** The list of steps, with the failure of a run. */
import { beginning, bringIntoView, make, markCurrent, part, parts, setText } from "../../ui/dom.ts"
import {
  barsOf,
  clockText,
  describeStep,
  failingStep,
  hashOf,
  type KnownSteps,
  momentOf,
  signs,
  stepAt,
  stepReader,
  type TraceEvent
} from "../steps.ts"
import { type Step, type TraceData } from "../traceData.ts"
import type { Clock, Move } from "./clock.ts"
import { slices } from "./download.ts"

/** The list of steps on a run's page: the current step, and navigation between steps. */
interface StepList {
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
const maxListed = 5000

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
      part(section, ".more", HTMLElement).hidden = known.length <= maxListed
      failing = findFailing()
      if (failing !== undefined) showFailure(failing)
      for (const step of [
        ...known.slice(0, maxListed),
        ...(failing === undefined || failing.index < maxListed ? [] : [failing])
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

/** How much of a name and of a message is shown. */
const maxItemCharacters = 20_000

/** Writes a step into the element that its page has for one. */
const writeStep = (item: HTMLElement, step: Step, length: number): void => {
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
  setText(part(full, "bdi", HTMLElement), beginning(step.name, maxItemCharacters))
  const message = part(item, "pre", HTMLElement)
  if (step.message === undefined) return
  message.hidden = step.message === failureText()
  setText(message, beginning(step.message, maxItemCharacters))
}

/** The message that the page shows as the failure of the run; it isn't shown again. */
export const failureText = (): string | undefined => document.querySelector(".failure pre")?.textContent ?? undefined

/** Shows above the trace where and why a run failed, if the page was made without that. */
const showFailure = (step: Step): void => {
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

/** How many steps are stored. The list shows fewer, the timeline and the clock use all of them. */
const maxSteps = 100_000

/** The steps of a run from its events, read in slices. */
export const gatherSteps = async (events: ReadonlyArray<TraceEvent>): Promise<KnownSteps> => {
  const { known, read } = stepReader(maxSteps)
  const breathe = slices()
  for (const [index, event] of events.entries()) {
    read(event)
    if (index % 256 === 0) await breathe()
  }
  return known()
}
