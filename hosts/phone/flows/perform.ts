/** Performs the commands of a flow in the document of an app. */
import {
  find,
  middleOf,
  pointIn,
  screenBox,
  selects,
  shareShown,
  UnknownSelector,
  type Point,
  type Shown
} from "./elements.ts"
import { fieldsIn, scalarIn, type FlowCommand, type Timeouts } from "./FlowCommand.ts"
import { focusedField, press, pressKey, swipe, type Clock } from "./gestures.ts"
import type { StepResult } from "./runFlow.ts"
import { selectorText } from "./stepName.ts"

/** How often an element is looked for, and how long the app must rest until it has settled, in milliseconds. */
const every = 100
const mostSettling = 2000

const lengths = { tap: 50, long: 600, swipe: 400, scroll: 333 }

const mostCharacters = 5000

const passed: StepResult = { status: "passed" }
const failed = (reason: string): StepResult => ({ status: "failed", reason })
const skipped = (reason: string): StepResult => ({ status: "skipped", reason })

const numberIn = (value: unknown, otherwise: number): number => {
  const number = Number(scalarIn(value) ?? "")
  return scalarIn(value) !== undefined && Number.isFinite(number) ? number : otherwise
}

/** How often something within a flow is done at most. */
const mostTimes = 50

/** The way of a finger in each direction, as parts of the screen: those of Maestro on iOS. */
const ways: Readonly<Record<string, readonly [from: Point, to: Point]>> = {
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

/** `isRepeated` if a person did what is performed in another frame of the page. */
export const makePerformer = (clock: Clock, timeouts: Timeouts, isRepeated = false) => {
  /** Looks again and again, until it sees something or the time is over. */
  const until = async <A>(milliseconds: number, look: () => A | undefined): Promise<A | undefined> => {
    const end = clock.now() + milliseconds
    for (;;) {
      const found = look()
      if (found !== undefined || clock.now() >= end) return found
      await clock.wait(every)
    }
  }

  /** Waits until the app rests. */
  const settle = async (milliseconds = mostSettling): Promise<void> => {
    const end = clock.now() + milliseconds
    let isResting = false
    const observer = new MutationObserver(() => (isResting = false))
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    try {
      do {
        isResting = true
        await clock.wait(every)
      } while ((!isResting || isAnimated()) && clock.now() < end)
    } finally {
      observer.disconnect()
    }
  }

  const lookedFor = (selector: unknown, milliseconds?: number): Promise<Shown | undefined> => {
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
    const { delay, point, repeat } = fieldsIn(value)
    let place: Point | undefined
    const text = scalarIn(point)
    if (selects(value)) {
      const found = await lookedFor(value)
      if (found === undefined) return notFound(value)
      await settle()
      // It may have moved meanwhile.
      const now = find(value)[0] ?? found
      place = text === undefined ? middleOf(now) : pointIn(text, now.box)
    } else if (text !== undefined) place = pointIn(text, screenBox())
    if (place === undefined)
      return skipped(text === undefined ? "it names no element" : `the point ${text} is not supported`)
    const count = Math.min(mostTimes, Math.max(1, numberIn(repeat, times)))
    for (let time = 0; time < count; time += 1) {
      if (time > 0) await clock.wait(numberIn(delay, 100))
      await press(place, milliseconds, clock, isRepeated)
    }
    await settle()
    return passed
  }

  const type = async (text: string): Promise<StepResult> => {
    if (text.length > mostCharacters) return skipped(`it types more than ${mostCharacters} characters`)
    if ((await until(timeouts.optional, focusedField)) === undefined) return failed("No field has the keyboard")
    for (const character of text) await pressKey(character === "\n" ? "Enter" : character, clock)
    await settle()
    return passed
  }

  const erase = async (count: number): Promise<StepResult> => {
    const field = await until(timeouts.optional, focusedField)
    if (field === undefined) return failed("No field has the keyboard")
    for (let time = 0; time < Math.min(mostCharacters, count) && field.value !== ""; time += 1)
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
    const milliseconds = numberIn(duration, lengths.swipe)
    const [first, last] = [start, end].map((point) => pointIn(scalarIn(point) ?? "", screenBox()))
    if (first !== undefined && last !== undefined) return swiped(first, last, milliseconds)
    const way = ways[scalarIn(direction)?.toUpperCase() ?? ""]
    if (way === undefined) return skipped("it has no known direction, and no start and end")
    if (from === undefined) return swiped(onScreen(way[0]), onScreen(way[1]), milliseconds)
    const found = await lookedFor(from)
    if (found === undefined) return notFound(from)
    const [begin, beyond] = [middleOf(found), onScreen(way[1])]
    const isUpright = /^(?:UP|DOWN)$/i.test(scalarIn(direction) ?? "")
    return swiped(begin, isUpright ? { x: begin.x, y: beyond.y } : { x: beyond.x, y: begin.y }, milliseconds)
  }

  const scroll = (): Promise<StepResult> =>
    swiped(onScreen({ x: 0.5, y: 0.5 }), onScreen({ x: 0.5, y: 0.1 }), lengths.scroll)

  const scrollUntilVisible = async (value: unknown): Promise<StepResult> => {
    const { direction, element, timeout, visibilityPercentage } = fieldsIn(value)
    const way = ways[opposite[scalarIn(direction)?.toUpperCase() ?? "DOWN"] ?? ""]
    if (way === undefined) return skipped("it has no known direction")
    const wanted = Math.min(100, numberIn(visibilityPercentage, 100)) / 100
    const end = clock.now() + numberIn(timeout, 20_000)
    do {
      const found = await lookedFor(element, 500)
      if (found !== undefined && shareShown(found) >= wanted - 0.01) return passed
      const [, to] = way
      await swiped(onScreen({ x: 0.5, y: 0.5 }), onScreen(to), lengths.swipe)
    } while (clock.now() < end)
    return failed(`No visible element found: ${selectorText(element)}`)
  }

  const back = async (): Promise<StepResult> => {
    const button = await until(every, () => find({ text: "Back" }).find(({ element }) => element.matches("button")))
    if (button === undefined) return failed("There is no button that leads back")
    return tap("Back", lengths.tap, 1)
  }

  const key = async (value: unknown): Promise<StepResult> => {
    const name = scalarIn(value) ?? scalarIn(fieldsIn(value)["key"]) ?? ""
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

  const textOf = (value: unknown): string => scalarIn(value) ?? scalarIn(fieldsIn(value)["text"]) ?? ""

  const known: Readonly<Record<string, (value: unknown) => Promise<StepResult>>> = {
    tapOn: (value) => tap(value, lengths.tap, 1),
    doubleTapOn: (value) => tap(value, lengths.tap, 2),
    longPressOn: (value) => tap(value, lengths.long, 1),
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
