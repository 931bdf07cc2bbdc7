/** The keyboard: its height, its keys, and what stands above it. */
import { textIn } from "../runtime/decode.ts"
import { device, insets, isAndroid, isDark, isOnSide, screenSize } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, type Drawing, element } from "./Component.ts"

/** Draws the keys; `field` is the one that is typed into. */
export const makeKeys = (field: () => Field | undefined) => {
  const drawn = element("keys")
  drawn.ariaHidden = "true"
  let layout: keyof typeof layouts = "letters"
  let isShifted = false
  /** The field that the keys were drawn for. */
  let shown: Field | undefined

  const labelOf = (key: string): string => {
    if (!isAndroid()) return labels[key] ?? key
    const action = shown instanceof HTMLTextAreaElement && shown.enterKeyHint === "" ? "enter" : shown?.enterKeyHint
    return key === "Enter" ? shown?.dataset["enter"] || actions[action || "done"] || "✓" : (androidLabels[key] ?? key)
  }

  const keyOf = (key: string): HTMLElement => {
    const keyElement = element(key.length > 1 ? "key other" : "key")
    keyElement.dataset["key"] = isShifted && layout === "letters" && key.length === 1 ? key.toUpperCase() : key
    keyElement.textContent = labelOf(keyElement.dataset["key"])
    if (key === " ") keyElement.style.flexGrow = isAndroid() ? "4" : "5"
    else if (key.length > 1) keyElement.style.flexGrow = "1.5"
    return keyElement
  }

  const draw = (): void => {
    drawn.classList.toggle("dark", isDark())
    const rows = isAndroid() ? androidRows(layout, shown?.inputMode ?? "") : layouts[layout]
    drawn.replaceChildren(...rows.map((row) => element("row", ...row.map(keyOf))))
  }

  const pressed = (key: string): void => {
    const typed = field()
    if (key === "Digits" || key === "Letters") layout = key === "Digits" ? "digits" : "letters"
    else if (key === "Shift") isShifted = !isShifted
    else {
      isShifted = false
      if (typed !== undefined) pressKey(typed, key)
    }
    draw()
  }
  drawn.addEventListener("click", ({ target }) => {
    const key = target instanceof Element ? target.closest<HTMLElement>("[data-key]")?.dataset["key"] : undefined
    if (key !== undefined) pressed(key)
  })
  // A letter of a person's own keyboard ends Shift as one of these keys does.
  document.addEventListener("input", ({ target }) => {
    if (!isShifted || target !== field()) return
    isShifted = false
    draw()
  })

  return {
    element: drawn,
    /** Draws the keys for what is typed. */
    show: (typed: Field): void => {
      shown = typed
      layout = /^(?:numeric|decimal|tel)$/.test(typed.inputMode) ? "pad" : "letters"
      isShifted = typed.value === "" && typed.autocapitalize !== "none"
      draw()
    }
  }
}

/** The rows of keys; those of more than one letter are named as browsers name them. */
const layouts = {
  letters: [[..."qwertyuiop"], [..."asdfghjkl"], ["Shift", ..."zxcvbnm", "Backspace"], ["Digits", " ", "Enter"]],
  digits: [[..."1234567890"], [...'-/:;()€&@"'], [..."_.,?!’#%", "Backspace"], ["Letters", " ", "Enter"]],
  pad: [[..."123"], [..."456"], [..."789"], [".", "0", "Backspace"]]
} as const satisfies Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

/** The rows of Android: their last key does what the field's `returnKeyType` says, also below numbers. */
const androidRows = (layout: keyof typeof layouts, inputMode: string): ReadonlyArray<ReadonlyArray<string>> => {
  if (layout === "pad")
    return [
      [..."123", inputMode === "tel" ? "-" : "+"],
      [..."456", inputMode === "tel" ? "." : "-"],
      [..."789", "Backspace"],
      [...(inputMode === "tel" ? "*0#" : ",0."), "Enter"]
    ]
  const beside = layout === "letters" ? ({ email: "@", url: "/" }[inputMode] ?? ",") : ","
  const [first, second, third] = layouts[layout]
  return [first, second, third, [layout === "letters" ? "Digits" : "Letters", beside, " ", ".", "Enter"]]
}

/** The last key of Android, by what it does. */
const actions: Readonly<Record<string, string>> = {
  done: "✓",
  enter: "↵",
  go: "→",
  next: "⇥",
  previous: "⇤",
  search: "⌕",
  send: "➤"
}

const androidLabels: Readonly<Record<string, string>> = {
  Shift: "⇧",
  Backspace: "⌫",
  Digits: "?123",
  Letters: "ABC",
  " ": ""
}

const labels: Readonly<Record<string, string>> = {
  Shift: "⇧",
  Backspace: "⌫",
  Enter: "return",
  Digits: "123",
  Letters: "ABC",
  " ": "space"
}

/** Changes the text of a field as its key would on a phone. */
const pressKey = (field: Field, key: string): void => {
  if (!field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))) return
  const [from, to] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length]
  if (key === "Backspace") field.setRangeText("", from === to ? Math.max(0, from - 1) : from, to, "end")
  else if (field.maxLength < 0 || field.value.length - (to - from) < field.maxLength) {
    field.setRangeText(key === "Enter" ? "\n" : key, from, to, "end")
  }
  field.dispatchEvent(new Event("input", { bubbles: true }))
}

export type Field = HTMLInputElement | HTMLTextAreaElement

/** Whether the keyboard comes up for what has the focus: a field that may be written in. */
export const isTyped = (target: EventTarget | null): target is Field =>
  (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) &&
  target.matches(".input") &&
  !target.hasAttribute("readonly") &&
  target.inputMode !== "none"

/** How high the keyboard is as the phone is held now, in points. */
export const keyboardHeight = (): number => {
  const { hasHomeIndicator = true, kind = "phone" } = device() ?? {}
  if (isAndroid()) return keysHeight + insets().bottom
  if (isOnSide()) return heights[kind].onSide
  return heights[kind].upright - (hasHomeIndicator ? 0 : homeIndicatorSpace)
}

/** How high the keyboard is, upright and on the side, in points. */
const heights = {
  phone: { upright: 291, onSide: 200 },
  pad: { upright: 320, onSide: 400 }
}

/** How high the keys are, in points. */
const keysHeight = 216

/** The space below the keys, where the home indicator is. */
const homeIndicatorSpace = 75

/** How long the keyboard takes to come or to go, in milliseconds. */
export const keyboardDuration = 250

/** Calls `listener` when the keyboard begins to come or to go, with its height then; returns what ends that. */
export const onKeyboard = (listener: (height: number) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Says that the keyboard begins to come or to go. */
export const keyboardMoves = (height: number): void => {
  for (const listener of listeners) listener(height)
}

const listeners = new Set<(height: number) => void>()

/** What stands above the keyboard while a field is typed into that names it: `InputAccessoryView`. */
export const inputAccessory: Component = (context): Drawing => {
  const drawn = element("view away")

  const look = (): void => {
    const { activeElement } = document
    const name = textIn(context.props()["nativeID"])
    const isNamed = isTyped(activeElement) && activeElement.dataset["accessory"] === name
    drawn.classList.toggle("away", !isNamed)
  }
  // The one that gets the focus is known when the other has lost it.
  const lookSoon = (): void => queueMicrotask(look)
  document.addEventListener("focusin", lookSoon)
  document.addEventListener("focusout", lookSoon)

  return {
    element: drawn,
    isOverlay: true,
    isPlaced: true,
    update: (props) => {
      drawn.style.backgroundColor = color(props["backgroundColor"])
      look()
    },
    laidOut: ({ height }) => {
      drawn.style.cssText += `;left:0;width:${screenSize().width}px;height:${height}px;bottom:${keyboardHeight()}px;z-index:2`
    },
    unmounted: () => {
      document.removeEventListener("focusin", lookSoon)
      document.removeEventListener("focusout", lookSoon)
    }
  }
}
