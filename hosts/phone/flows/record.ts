/** Records what a person does to an app as the commands of a flow, and picks elements. */
import { find, idOf, patternOf, pressableAround, selects, type Point } from "./elements.ts"
import { recordingLimits, type FlowCommand, type RecordingMode, type Recorded } from "./flow.ts"
import { isField } from "./perform.ts"
import { fieldText, makeScrollReport } from "./mirror.ts"

const percent = (value: number, of: number): string =>
  `${Math.max(0, Math.min(100, Math.round((100 * value) / Math.max(1, of))))}%`

/** A point as a part of the screen, as flows have it. */
const pointText = ({ x, y }: Point): string => `${percent(x, innerWidth)},${percent(y, innerHeight)}`

/** The longest text by which an element is selected. */
const maxTextLength = 200

/** What an element is selected by: the id of what is pressed there, else its text; `undefined` if it has neither. */
const namesOf = (element: Element): ReadonlyArray<Readonly<Record<string, string>>> => {
  const around = pressableAround(element)
  const named = around ?? element
  const id = idOf(named)
  const text = patternOf(named)
  // On a phone, what stands in a pressable element is no element of its own, so its ids come last.
  let inner: string | undefined
  for (let at: Element | null = element; at !== null && at !== named && inner === undefined; at = at.parentElement) {
    inner = idOf(at)
  }
  return [
    ...(id === undefined ? [] : [{ id }]),
    ...(text === undefined || text.length > maxTextLength ? [] : [{ text }]),
    ...(inner === undefined ? [] : [{ id: inner }])
  ]
}

/** How an element is selected in a flow: by id, else by its visible text, else by its place on the screen. */
const selectorOf = (element: Element, point: Point): Readonly<Record<string, string | number>> => {
  const isIt = (match: Element | undefined): boolean =>
    match !== undefined && (match.contains(element) || element.contains(match))
  for (const name of namesOf(element)) {
    if (isIt(find(name)[0]?.element)) return name
    for (let index = 0; index < 20; index += 1) {
      const [match] = find({ ...name, index })
      if (match === undefined) break
      if (isIt(match.element)) return { ...name, index }
    }
  }
  return { point: pointText(point) }
}

/** A text alone is written as Maestro's short form. */
const asValue = (selector: Readonly<Record<string, string | number>>): FlowCommand["value"] =>
  Object.keys(selector).join() === "text" ? selector["text"] : selector

/** What is asserted of an element: that it is there, and says what it says now. Nothing of one that only its place selects. */
const assertionOf = (element: Element, point: Point): FlowCommand | undefined => {
  const selector = selectorOf(element, point)
  if (!selects(selector)) return undefined
  const text = patternOf(pressableAround(element) ?? element)
  const isMore = Object.keys(selector).join() === "id" && text !== undefined && text.length <= maxTextLength
  return { name: "assertVisible", value: asValue(isMore ? { ...selector, text } : selector) }
}

/** How many characters one command types or erases. The player and the messages of the frame allow at least so many. */
const maxTyped = 2000

const partsOf = (characters: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(characters.length / maxTyped) }, (_, at) =>
    characters.slice(at * maxTyped, (at + 1) * maxTyped)
  )

/** The commands by which one text of a field becomes another. A variable in a text is escaped: nobody typed its value. */
const typed = (before: string, after: string): ReadonlyArray<FlowCommand> => {
  const [from, to] = [Array.from(before), Array.from(after)]
  let same = 0
  while (same < from.length && from[same] === to[same]) same += 1
  return [
    ...partsOf(from.slice(same)).map(({ length }) => ({ name: "eraseText", value: length })),
    ...partsOf(to.slice(same)).map((characters) => ({
      name: "inputText",
      value: characters.join("").replaceAll(/\$\{[^${}]*\}/g, String.raw`\$&`)
    }))
  ]
}

/** A press that moves farther is a swipe, in pixels; one that lasts longer is a long one, in milliseconds. */
const swipeDistance = 10
const longPressTime = 500

interface Press {
  readonly start: Point
  readonly at: number
  readonly selector: Readonly<Record<string, string | number>>
}

/** How much of the screen `scroll` moves by. */
const scrollShare = 0.4

/** The commands by which a wheel scrolled by so much: Maestro’s `scroll` where that is about as far, else swipes. */
const scrolled = (byX: number, byY: number): ReadonlyArray<FlowCommand> => {
  const isUpright = Math.abs(byY) >= Math.abs(byX)
  const [by, size] = isUpright ? [byY, innerHeight] : [byX, innerWidth]
  const share = Math.abs(by) / size
  if (share < 0.02) return []
  const times = isUpright && by > 0 ? Math.round(share / scrollShare) : 0
  if (times > 0 && times <= recordingLimits.ofAction)
    return Array.from({ length: times }, () => ({ name: "scroll", value: undefined }))
  const swipes = Math.min(recordingLimits.ofAction, Math.ceil(share / 0.6))
  const half = Math.min(0.3, share / swipes / 2) * Math.sign(by)
  const place = (part: number) => (isUpright ? `50%,${percent(part, 1)}` : `${percent(part, 1)},50%`)
  return Array.from({ length: swipes }, () => ({
    name: "swipe",
    value: { start: place(0.5 + half), end: place(0.5 - half) }
  }))
}

/**
 * Listens to a person. While somebody records, the app receives everything too; a press that picks an element it never does.
 */
export const makeRecorder = (onRecorded: (recorded: Recorded) => void) => {
  let [isRecording, isPicking, isMirrored] = [false, false, false]
  let pressed: Press | undefined
  /** The field that is typed into, its text before, and the number of commands that its text made so far. */
  let typing: { readonly field: Element; readonly before: string; count: number } | undefined
  let wheel: { x: number; y: number; count: number } | undefined

  let all: ReadonlyArray<FlowCommand> = []
  /** How many commands were before those. */
  let earlier = 0
  let version = 0

  const report = (): void => {
    const commands = all.slice(-recordingLimits.commands)
    onRecorded({ isRecording, isPicking, version, before: earlier + all.length - commands.length, commands })
  }
  /** Adds commands, in place of so many of the last ones. */
  const add = (commands: ReadonlyArray<FlowCommand>, replaces = 0): void => {
    if (commands.length === 0 && replaces === 0) return
    all = [...all.slice(0, all.length - replaces), ...commands]
    if (isMirrored && all.length > 2 * recordingLimits.commands) {
      earlier += all.length - recordingLimits.commands
      all = all.slice(-recordingLimits.commands)
    }
    version += 1
    report()
  }
  const scrolling = makeScrollReport((command) => add([command]))
  /** The next action begins. */
  const next = (): void => {
    typing = undefined
    wheel = undefined
  }

  const listen = (type: string, act: (event: Event) => void): void =>
    window.addEventListener(
      type,
      (event) => {
        if (!event.isTrusted) return
        if (isPicking && /^(?:pointer|mouse|touch|click)/.test(type)) {
          event.stopImmediatePropagation()
          if (event.cancelable) event.preventDefault()
          if (type === "click" && event instanceof MouseEvent && event.target instanceof Element) {
            const assertion = assertionOf(event.target, { x: event.clientX, y: event.clientY })
            if (assertion === undefined) return
            isPicking = false
            add([assertion])
          }
        } else if (isRecording) act(event)
      },
      { capture: true, passive: false }
    )

  listen("pointerdown", (event) => {
    if (!(event instanceof PointerEvent) || !(event.target instanceof Element) || event.button !== 0) return
    const start = { x: event.clientX, y: event.clientY }
    next()
    scrolling.handled()
    pressed = { start, at: event.timeStamp, selector: selectorOf(event.target, start) }
  })
  listen("pointerup", (event) => {
    if (!(event instanceof PointerEvent) || pressed === undefined) return
    const { at, selector, start } = pressed
    const end = { x: event.clientX, y: event.clientY }
    pressed = undefined
    const lasted = event.timeStamp - at
    if (Math.hypot(end.x - start.x, end.y - start.y) > swipeDistance) {
      // Where a drag scrolled, the other frame has scrolled with it already.
      if (isMirrored && scrolling.hasScrolled()) return
      add([
        {
          name: "swipe",
          value: {
            start: pointText(start),
            end: pointText(end),
            duration: Math.max(50, Math.min(5000, Math.round(lasted)))
          }
        }
      ])
    } else add([{ name: lasted >= longPressTime ? "longPressOn" : "tapOn", value: asValue(selector) }])
  })
  listen("pointercancel", (event) => {
    // The browser scrolls with the finger: where that ended is unknown, so it is a scroll.
    if (!(event instanceof PointerEvent) || pressed === undefined) return
    pressed = undefined
    if (!isMirrored) add([{ name: "scroll", value: undefined }])
  })
  listen("beforeinput", ({ target }) => {
    if (isField(target) && typing?.field !== target) {
      next()
      typing = { field: target, before: target.value, count: 0 }
    }
  })
  listen("keydown", (event) => {
    if (!(event instanceof KeyboardEvent) || event.isComposing) return
    if (event.key !== "Enter" || event.target instanceof HTMLTextAreaElement) return
    next()
    scrolling.handled()
    add([{ name: "pressKey", value: "Enter" }])
  })
  listen("input", ({ target }) => {
    if (!isField(target) || typing?.field !== target) return
    if (isMirrored) {
      scrolling.handled()
      add([fieldText(target.value)])
      return
    }
    // What is typed into a field for passwords is a secret.
    const commands =
      target.type === "password" ? [{ name: "inputText", value: "${PASSWORD}" }] : typed(typing.before, target.value)
    add(commands, typing.count)
    typing.count = commands.length
  })
  listen("wheel", (event) => {
    if (!(event instanceof WheelEvent)) return
    if (isMirrored) {
      scrolling.handled()
      return
    }
    const by = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 16
    if (wheel === undefined) next()
    wheel ??= { x: 0, y: 0, count: 0 }
    wheel.x += event.deltaX * by
    wheel.y += event.deltaY * by
    const commands = scrolled(wheel.x, wheel.y)
    add(commands, wheel.count)
    wheel.count = commands.length
  })
  listen("scroll", ({ target }) => {
    if (isMirrored) scrolling.scrolled(target)
  })
  for (const type of ["mousedown", "mouseup", "click", "touchstart", "touchend"]) listen(type, () => {})

  return {
    /** Records from now on, or not. Reports what was recorded so far. */
    listen: (to: RecordingMode): void => {
      if (to.isRecording && !isRecording) {
        all = []
        earlier = 0
      }
      if (to.isRecording !== isRecording || to.isPicking !== isPicking) {
        pressed = undefined
        next()
        version += 1
      }
      isRecording = to.isRecording
      isPicking = to.isPicking
      isMirrored = to.isMirrored === true
      report()
    },
    /** A command is performed now: what it scrolls was not scrolled by a person. */
    performing: scrolling.performing
  }
}
