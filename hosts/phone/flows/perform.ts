/** Performs the commands of a flow in the document of an app, by a finger and a keyboard. */
import {
  find,
  centerOf,
  type Point,
  pointIn,
  screenBox,
  selects,
  textsOf,
  visibleShare,
  type VisibleElement,
  UnknownSelector
} from "./elements.ts"
import { fieldsIn, type FlowCommand, scalarIn, selectorText, type Timeouts } from "./flow.ts"
import { evaluate, type Evaluation } from "./evaluate.ts"
import type { StepResult } from "./runFlow.ts"

/** `isRepeated` if a person did what is performed in another frame of the page. */
export const makePerformer = (clock: Clock, timeouts: Timeouts, isRepeated = false) => {
  /** Looks again and again, until it sees something or the time is over. */
  const until = async <A>(milliseconds: number, look: () => A | undefined): Promise<A | undefined> => {
    const end = clock.now() + milliseconds
    for (;;) {
      const match = look()
      if (match !== undefined || clock.now() >= end) return match
      await clock.wait(pollInterval)
    }
  }

  /** Waits until the app rests. */
  const settle = async (milliseconds = maxSettleTime): Promise<void> => {
    const end = clock.now() + milliseconds
    let isResting = false
    const observer = new MutationObserver(() => (isResting = false))
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    try {
      do {
        isResting = true
        await clock.wait(pollInterval)
      } while ((!isResting || isAnimated()) && clock.now() < end)
    } finally {
      observer.disconnect()
    }
  }

  const lookedFor = (selector: unknown, milliseconds?: number): Promise<VisibleElement | undefined> => {
    const isOptional = fieldsIn(selector)["optional"] === true
    return until(milliseconds ?? (isOptional ? timeouts.optional : timeouts.lookup), () => find(selector)[0])
  }

  const notFound = (selector: unknown): StepResult => failed(`Element not found: ${selectorText(selector)}`)

  const visible = async (selector: unknown, milliseconds?: number): Promise<StepResult> =>
    (await lookedFor(selector, milliseconds)) === undefined
      ? failed(`${selectorText(selector)} is not visible`)
      : passed

  const invisible = async (selector: unknown, milliseconds: number): Promise<StepResult> =>
    (await until(milliseconds, () => (find(selector).length === 0 ? true : undefined))) === undefined
      ? failed(`${selectorText(selector)} is visible`)
      : passed

  const condition = async (value: unknown, milliseconds: number): Promise<StepResult> => {
    const { notVisible, visible: wanted } = fieldsIn(value)
    const result = wanted === undefined ? passed : await visible(wanted, milliseconds)
    return result.status !== "passed" || notVisible === undefined ? result : invisible(notVisible, milliseconds)
  }

  const tap = async (value: unknown, milliseconds: number, times: number): Promise<StepResult> => {
    const { delay, point, repeat, waitToSettleTimeoutMs } = fieldsIn(value)
    let place: Point | undefined
    const text = scalarIn(point)
    if (selects(value)) {
      const match = await lookedFor(value)
      if (match === undefined) return notFound(value)
      await settle()
      // It may have moved meanwhile.
      const now = find(value)[0] ?? match
      place = text === undefined ? centerOf(now) : pointIn(text, now.box)
    } else if (text !== undefined) place = pointIn(text, screenBox())
    if (place === undefined)
      return skipped(text === undefined ? "it names no element" : `the point ${text} is not supported`)
    const count = Math.min(maxTaps, Math.max(1, numberIn(repeat, times)))
    for (let time = 0; time < count; time += 1) {
      if (time > 0) await clock.wait(numberIn(delay, 100))
      await press(place, milliseconds, clock, isRepeated)
    }
    await settle(numberIn(waitToSettleTimeoutMs, maxSettleTime))
    return passed
  }

  const type = async (text: string): Promise<StepResult> => {
    if (text.length > maxCharacters) return skipped(`it types more than ${maxCharacters} characters`)
    if ((await until(timeouts.optional, focusedField)) === undefined) return failed("No field has the keyboard")
    for (const character of text) await pressKey(character === "\n" ? "Enter" : character, clock)
    await settle()
    return passed
  }

  const erase = async (count: number): Promise<StepResult> => {
    const field = await until(timeouts.optional, focusedField)
    if (field === undefined) return failed("No field has the keyboard")
    for (let time = 0; time < Math.min(maxCharacters, count) && field.value !== ""; time += 1)
      await pressKey("Backspace", clock)
    await settle()
    return passed
  }

  const swiped = async (from: Point, to: Point, milliseconds: number): Promise<StepResult> => {
    await swipe(from, to, Math.min(10_000, milliseconds), clock)
    await settle()
    return passed
  }

  const swipeBy = async (value: unknown): Promise<StepResult> => {
    const { direction, duration, end, from, start } = fieldsIn(value)
    const milliseconds = numberIn(duration, durations.swipe)
    const [first, last] = [start, end].map((point) => pointIn(scalarIn(point) ?? "", screenBox()))
    if (first !== undefined && last !== undefined) return swiped(first, last, milliseconds)
    const way = swipePaths[scalarIn(direction)?.toUpperCase() ?? ""]
    if (way === undefined) return skipped("it has no known direction, and no start and end")
    if (from === undefined) return swiped(onScreen(way[0]), onScreen(way[1]), milliseconds)
    const match = await lookedFor(from)
    if (match === undefined) return notFound(from)
    const [begin, beyond] = [centerOf(match), onScreen(way[1])]
    const isUpright = /^(?:UP|DOWN)$/i.test(scalarIn(direction) ?? "")
    return swiped(begin, isUpright ? { x: begin.x, y: beyond.y } : { x: beyond.x, y: begin.y }, milliseconds)
  }

  const scroll = (): Promise<StepResult> =>
    swiped(onScreen({ x: 0.5, y: 0.5 }), onScreen({ x: 0.5, y: 0.1 }), durations.scroll)

  const scrollUntilVisible = async (value: unknown): Promise<StepResult> => {
    const { direction, element, timeout, visibilityPercentage } = fieldsIn(value)
    const way = swipePaths[opposite[scalarIn(direction)?.toUpperCase() ?? "DOWN"] ?? ""]
    if (way === undefined) return skipped("it has no known direction")
    const wanted = Math.min(100, numberIn(visibilityPercentage, 100)) / 100
    const end = clock.now() + numberIn(timeout, 20_000)
    do {
      const match = await lookedFor(element, 500)
      if (match !== undefined && visibleShare(match) >= wanted - 0.01) return passed
      const [, to] = way
      await swiped(onScreen({ x: 0.5, y: 0.5 }), onScreen(to), durations.swipe)
    } while (clock.now() < end)
    return failed(`No visible element found: ${selectorText(element)}`)
  }

  const back = async (): Promise<StepResult> => {
    // The navigation bar of Android; elsewhere, the app draws a button.
    const ofSystem = document.querySelector<HTMLElement>(".bezel button")
    if (ofSystem !== null) {
      ofSystem.click()
      await settle()
      return passed
    }
    const button = await until(pollInterval, () =>
      find({ text: "Back" }).find(({ element }) => element.matches("button"))
    )
    if (button === undefined) return failed("There is no button that leads back")
    return tap("Back", durations.tap, 1)
  }

  const key = async (value: unknown): Promise<StepResult> => {
    const name = scalarIn(value) ?? scalarIn(fieldsIn(value)["key"]) ?? ""
    if (/^back$/i.test(name)) return back()
    if (!/^(?:enter|backspace)$/i.test(name)) return skipped(`the key ${name} needs a device`)
    await pressKey(/enter/i.test(name) ? "Enter" : "Backspace", clock)
    await settle()
    return passed
  }

  const hideKeyboard = async (): Promise<StepResult> => {
    const { activeElement } = document
    if (activeElement instanceof HTMLElement) activeElement.blur()
    await settle()
    return passed
  }

  const copyTextFrom = async (value: unknown): Promise<StepResult> => {
    const match = await lookedFor(value)
    return match === undefined ? notFound(value) : { ...passed, value: textsOf(match.element)[0] ?? "" }
  }

  const textOf = (value: unknown): string => scalarIn(value) ?? scalarIn(fieldsIn(value)["text"]) ?? ""

  const known: Readonly<Record<string, (value: unknown) => Promise<StepResult>>> = {
    tapOn: (value) => tap(value, durations.tap, 1),
    doubleTapOn: (value) => tap(value, durations.tap, 2),
    longPressOn: (value) => tap(value, durations.long, 1),
    assertVisible: (value) => visible(value),
    assertNotVisible: (value) => invisible(value, timeouts.lookup),
    extendedWaitUntil: (value) => condition(value, numberIn(fieldsIn(value)["timeout"], timeouts.lookup)),
    condition: (value) => condition(value, timeouts.optional),
    inputText: (value) => type(textOf(value)),
    eraseText: (value) => erase(numberIn(scalarIn(value) ?? fieldsIn(value)["charactersToErase"], 50)),
    pressKey: key,
    hideKeyboard,
    scroll,
    scrollUntilVisible,
    swipe: swipeBy,
    back,
    copyTextFrom,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page around the frame asks for it
    evaluate: (value) => Promise.resolve(evaluate(value as Evaluation)),
    waitForAnimationToEnd: async (value) => {
      await settle(numberIn(fieldsIn(value)["timeout"], 15_000))
      return passed
    }
  }

  /** Performs a command. One that isn’t known is skipped. */
  return async ({ name, value }: FlowCommand): Promise<StepResult> => {
    const act = Object.hasOwn(known, name) ? known[name] : undefined
    if (act === undefined) return skipped(`${name} is not supported`)
    try {
      return await act(value)
    } catch (error) {
      if (error instanceof UnknownSelector) return skipped(error.message)
      throw error
    }
  }
}

/** How often an element is looked for, and how long the app must rest until it has settled, in milliseconds. */
const pollInterval = 100

const maxSettleTime = 2000

const durations = { tap: 50, long: 600, swipe: 400, scroll: 333 }

const maxCharacters = 5000

/** How often something within a flow is done at most. */
const maxTaps = 50

const passed: StepResult = { status: "passed" }

const failed = (reason: string): StepResult => ({ status: "failed", reason })

const skipped = (reason: string): StepResult => ({ status: "skipped", reason })

const numberIn = (value: unknown, otherwise: number): number => {
  const number = Number((scalarIn(value) ?? "").replaceAll("_", ""))
  return scalarIn(value) !== undefined && Number.isFinite(number) ? number : otherwise
}

/** The way of a finger in each direction, as parts of the screen: those of Maestro on iOS. */
const swipePaths: Readonly<Record<string, readonly [from: Point, to: Point]>> = {
  UP: [
    { x: 0.5, y: 0.9 },
    { x: 0.5, y: 0.1 }
  ],
  DOWN: [
    { x: 0.5, y: 0.2 },
    { x: 0.5, y: 0.9 }
  ],
  LEFT: [
    { x: 0.9, y: 0.5 },
    { x: 0.1, y: 0.5 }
  ],
  RIGHT: [
    { x: 0.1, y: 0.5 },
    { x: 0.9, y: 0.5 }
  ]
}

const opposite: Readonly<Record<string, string>> = { UP: "DOWN", DOWN: "UP", LEFT: "RIGHT", RIGHT: "LEFT" }

const onScreen = ({ x, y }: Point): Point => ({ x: x * innerWidth, y: y * innerHeight })

/** Whether something moves that comes to rest. */
const isAnimated = (): boolean =>
  document
    .getAnimations()
    .some(({ effect, playState }) => playState === "running" && effect?.getComputedTiming().iterations !== Infinity)

/** The time of the document in which a flow plays, in milliseconds. */
export interface Clock {
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<void>
}

/** The number of the finger: no browser gives it to a device. */
const pointerId = 90

const at = ({ x, y }: Point): Element => document.elementFromPoint(x, y) ?? document.body

/** Sends an event of the finger; returns whether the app left the rest to the browser. */
const send = (type: string, target: Element, { x, y }: Point, isDown: boolean): boolean => {
  const common = {
    bubbles: true,
    cancelable: true,
    composed: true,
    clientX: x,
    clientY: y,
    button: 0,
    buttons: isDown ? 1 : 0,
    detail: 1
  }
  return target.dispatchEvent(
    type.startsWith("pointer")
      ? new PointerEvent(type, {
          ...common,
          pointerId,
          pointerType: "mouse",
          isPrimary: true,
          pressure: isDown ? 0.5 : 0
        })
      : new MouseEvent(type, common)
  )
}

type Field = HTMLInputElement | HTMLTextAreaElement

export const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** The field of the last press that was repeated. A person has the keyboard in another frame, which a focus here would take. */
let chosen: Field | undefined

/** What receives keys. */
const keyTarget = (): Element =>
  (!document.hasFocus() && chosen?.isConnected === true ? chosen : document.activeElement) ?? document.body

/** Moves the keyboard to the field where the finger is, as a browser does after a press. */
const focusAt = (target: Element): void => {
  const wanted = target.closest("input, textarea, select, [contenteditable]")
  const { activeElement } = document
  if (wanted instanceof HTMLElement) wanted.focus({ preventScroll: true })
  else if (activeElement instanceof HTMLElement) activeElement.blur()
}

/**
 * Presses a point of the screen for a while. `isRepeated` if a person did so in another frame of the page: then a field is only
 * chosen, because apps focus a field that is pressed.
 */
const press = async (point: Point, milliseconds: number, clock: Clock, isRepeated = false): Promise<void> => {
  const target = at(point)
  chosen = isRepeated && isField(target) ? target : undefined
  if (chosen !== undefined) return
  send("pointerdown", target, point, true)
  if (send("mousedown", target, point, true)) focusAt(target)
  await clock.wait(milliseconds)
  // The app may have replaced what was pressed.
  const end = at(point)
  send("pointerup", end, point, false)
  send("mouseup", end, point, false)
  if (end === target || target.contains(end) || end.contains(target)) send("click", end, point, false)
}

/** What a browser scrolls around an element, in a document without the phone, which scrolls with the finger itself. */
const scrolledByBrowser = (element: Element, { x, y }: Point): void => {
  if (document.querySelector(".phone") !== null) return
  for (let one: Element | null = element; one !== null; one = one.parentElement) {
    const before = [one.scrollLeft, one.scrollTop]
    one.scrollBy({ left: -x, top: -y, behavior: "instant" })
    if (before[0] !== one.scrollLeft || before[1] !== one.scrollTop) return
  }
}

/** How often a finger on its way is seen, in milliseconds. */
const frame = 16

/** Moves the finger from one point to another. */
const swipe = async (from: Point, to: Point, milliseconds: number, clock: Clock): Promise<void> => {
  const target = at(from)
  const steps = Math.max(5, Math.min(200, Math.round(milliseconds / frame)))
  send("pointerdown", target, from, true)
  send("mousedown", target, from, true)
  for (let step = 1; step <= steps; step += 1) {
    await clock.wait(milliseconds / steps)
    const point = { x: from.x + ((to.x - from.x) * step) / steps, y: from.y + ((to.y - from.y) * step) / steps }
    send("pointermove", target.isConnected ? target : at(point), point, true)
    send("mousemove", target.isConnected ? target : at(point), point, true)
  }
  const end = target.isConnected ? target : at(to)
  send("pointerup", end, to, false)
  send("mouseup", end, to, false)
  scrolledByBrowser(target, { x: to.x - from.x, y: to.y - from.y })
}

/** The field that has the keyboard, if it can be written in. */
export const focusedField = (): Field | undefined => {
  const target = keyTarget()
  return isField(target) && !target.readOnly && !target.disabled ? target : undefined
}

/** Replaces a part of a field's text, as a keyboard does. */
const write = (field: Field, text: string, from: number, to: number): void => {
  if (field.maxLength >= 0 && field.value.length - (to - from) + text.length > field.maxLength) return
  try {
    field.setRangeText(text, from, to, "end")
  } catch {
    // Some types of fields, as for e-mail, have no selection.
    const { value } = field
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(
      field,
      value.slice(0, from) + text + value.slice(to)
    )
  }
  field.dispatchEvent(
    new InputEvent("input", {
      bubbles: true,
      composed: true,
      data: text === "" ? null : text,
      inputType: text === "" ? "deleteContentBackward" : "insertText"
    })
  )
}

const endOf = (field: Field): number => field.selectionEnd ?? field.value.length

const startOf = (field: Field): number => field.selectionStart ?? field.value.length

/** Presses a key; returns `false` where no field has the keyboard. A character or Enter. */
export const pressKey = async (key: string, clock: Clock): Promise<boolean> => {
  const target = keyTarget()
  const options = { key, bubbles: true, cancelable: true, composed: true }
  const isLeft = target.dispatchEvent(new KeyboardEvent("keydown", options))
  const field = focusedField()
  if (isLeft && field !== undefined) {
    if (key === "Backspace") {
      const [from, to] = [startOf(field), endOf(field)]
      const before = Array.from(field.value.slice(0, to)).at(-1) ?? ""
      if (to > 0) write(field, "", from === to ? to - before.length : from, to)
    } else if (key !== "Enter" || field instanceof HTMLTextAreaElement) {
      if ([...key].length === 1 || key === "Enter")
        write(field, key === "Enter" ? "\n" : key, startOf(field), endOf(field))
    }
  }
  target.dispatchEvent(new KeyboardEvent("keyup", options))
  // The app handles each key before the next.
  await clock.wait(0)
  return field !== undefined
}
