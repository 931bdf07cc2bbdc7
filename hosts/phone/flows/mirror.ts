/**
 * What a person does in one frame, repeated in another one. Taps and keys are commands of flows. Scrolling and typing are
 * not: a flow says how far a finger moves, while two frames have to come to the same place and the same text.
 */
import { pointIn, screenBox, type Point } from "./elements.ts"
import { fieldsIn, scalarIn, type FlowCommand, type Timeouts } from "./flow.ts"
import { focusedField, pressKey, type Clock } from "./perform.ts"
import type { StepResult } from "./runFlow.ts"

/** The commands that no flow has. */
export const mirroredOnly = ["scrollTo", "setText"] as const
const [scrollTo, setText] = mirroredOnly

/** How often a place is reported while something scrolls, in milliseconds. */
const every = 50

const share = (value: number, of: number): string => `${Math.round((10_000 * value) / Math.max(1, of)) / 100}%`

export const fieldText = (text: string): FlowCommand => ({ name: setText, value: text })

const canScroll = (element: Element): boolean => {
  const { overflowX, overflowY } = getComputedStyle(element)
  const has = (room: number, overflow: string): boolean => room > 0 && overflow !== "visible" && overflow !== "clip"
  return (
    element === document.scrollingElement ||
    has(element.scrollWidth - element.clientWidth, overflowX) ||
    has(element.scrollHeight - element.clientHeight, overflowY)
  )
}

/** What can scroll at a point, from the innermost out. */
const scrollersAt = ({ x, y }: Point): ReadonlyArray<Element> => {
  const found: Array<Element> = []
  for (let at = document.elementFromPoint(x, y); at !== null; at = at.parentElement) if (canScroll(at)) found.push(at)
  return found
}

/** Where something is scrolled to: by the middle of what is seen of it, and by its number among what can scroll there. */
const scrolledTo = (element: Element): FlowCommand | undefined => {
  const { bottom, left, right, top } = element.getBoundingClientRect()
  const isPage = element === document.scrollingElement
  const middle = isPage
    ? { x: innerWidth / 2, y: innerHeight / 2 }
    : {
        x: (Math.max(0, left) + Math.min(innerWidth, right)) / 2,
        y: (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2
      }
  if (middle.x <= 0 || middle.y <= 0 || middle.x >= innerWidth || middle.y >= innerHeight) return undefined
  return {
    name: scrollTo,
    value: {
      point: `${share(middle.x, innerWidth)},${share(middle.y, innerHeight)}`,
      index: Math.max(0, scrollersAt(middle).indexOf(element)),
      left: Math.round(element.scrollLeft),
      top: Math.round(element.scrollTop)
    }
  }
}

/** Reports where a person scrolls to. What scrolls while a command is performed is not the person's. */
export const makeScrollReport = (report: (command: FlowCommand) => void) => {
  let isPersons = false
  let hasScrolled = false
  const waiting = new Set<Element>()

  const tell = (element: Element): void => {
    waiting.delete(element)
    const command = isPersons && element.isConnected ? scrolledTo(element) : undefined
    if (command !== undefined) report(command)
  }

  return {
    /** A person presses, turns the wheel, or types. */
    handled: (): void => {
      isPersons = true
      hasScrolled = false
    },
    performing: (): void => {
      isPersons = false
    },
    scrolled: (target: EventTarget | null): void => {
      const element = target === document ? document.scrollingElement : target
      if (!isPersons || !(element instanceof Element) || element.matches("input, textarea")) return
      hasScrolled = true
      if (waiting.has(element)) return
      waiting.add(element)
      setTimeout(tell, every, element)
    },
    hasScrolled: (): boolean => hasScrolled
  }
}

const passed: StepResult = { status: "passed" }
const failed = (reason: string): StepResult => ({ status: "failed", reason })

const scrollThere = (value: unknown): StepResult => {
  const { index, left, point, top } = fieldsIn(value)
  const at = pointIn(scalarIn(point) ?? "", screenBox())
  const scroller = at && scrollersAt(at)[Number(scalarIn(index))]
  if (scroller === undefined) return failed("Nothing scrolls there")
  const wanted = { left: Number(scalarIn(left)), top: Number(scalarIn(top)) }
  scroller.scrollTo({ ...wanted, behavior: "instant" })
  const isThere = Math.abs(scroller.scrollLeft - wanted.left) <= 1 && Math.abs(scroller.scrollTop - wanted.top) <= 1
  return isThere ? passed : failed("There is less to scroll")
}

/** Types until the field that has the keyboard says this. */
const write = async (text: string, wait: number, clock: Clock): Promise<StepResult> => {
  const end = clock.now() + wait
  let field = focusedField()
  while (field === undefined && clock.now() < end) {
    await clock.wait(every)
    field = focusedField()
  }
  if (field === undefined) return failed("No field has the keyboard")
  const before = field.value
  let same = 0
  while (same < before.length && before[same] === text[same]) same += 1
  for (let left = before.length; left > same; left -= 1) await pressKey("Backspace", clock)
  for (const character of text.slice(same)) await pressKey(character === "\n" ? "Enter" : character, clock)
  return field.value === text ? passed : failed("The field has another text")
}

/** Performs a command that no flow has; `undefined` for the others. */
export const performMirrored = (
  { name, value }: FlowCommand,
  { optional }: Timeouts,
  clock: Clock
): Promise<StepResult> | undefined => {
  if (name === scrollTo) return Promise.resolve(scrollThere(value))
  return name === setText ? write(scalarIn(value) ?? "", optional, clock) : undefined
}

/** What such a command is called, without the text, which may be a secret. */
export const mirroredName = ({ name }: FlowCommand): string | undefined =>
  ({ [scrollTo]: "Scroll", [setText]: "Type" })[name]
