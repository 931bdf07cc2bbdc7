/** A finger and a keyboard for flows: they act on a document as a person's do. */
import { middleOf, type Point, type Shown } from "./elements.ts"

/** The time of the document in which a flow plays, in milliseconds. */
export interface Clock {
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<void>
}

/** The number of the finger: no browser gives it to a device. */
const pointerId = 90

const at = ({ x, y }: Point): Element => document.elementFromPoint(x, y) ?? document.body

/** Sends an event of the finger; answers whether the app left the rest to the browser. */
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
export const press = async (point: Point, milliseconds: number, clock: Clock, isRepeated = false): Promise<void> => {
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
export const swipe = async (from: Point, to: Point, milliseconds: number, clock: Clock): Promise<void> => {
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

/** Presses a key; answers `false` where no field has the keyboard. A character or Enter. */
export const pressKey = async (key: string, clock: Clock): Promise<boolean> => {
  const target = keyTarget()
  const options = { key, bubbles: true, cancelable: true, composed: true }
  const isLeft = target.dispatchEvent(new KeyboardEvent("keydown", options))
  const field = focusedField()
  if (isLeft && field !== undefined) {
    if (key === "Backspace") {
      const [from, to] = [startOf(field), endOf(field)]
      if (to > 0) write(field, "", from === to ? to - 1 : from, to)
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

/** Presses the middle of an element. */
export const pressElement = (found: Shown, milliseconds: number, clock: Clock): Promise<void> =>
  press(middleOf(found), milliseconds, clock)
