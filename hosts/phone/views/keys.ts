/** The keys of the keyboard. A person may type on their own as well. */
import { isDark } from "../runtime/device.ts"
import { element } from "./element.ts"

export type Field = HTMLInputElement | HTMLTextAreaElement

/** The rows of keys; those of more than one letter are named as browsers name them. */
const layouts = {
  letters: [[..."qwertyuiop"], [..."asdfghjkl"], ["Shift", ..."zxcvbnm", "Backspace"], ["Digits", " ", "Enter"]],
  digits: [[..."1234567890"], [...'-/:;()€&@"'], [..."_.,?!’#%", "Backspace"], ["Letters", " ", "Enter"]],
  pad: [[..."123"], [..."456"], [..."789"], [".", "0", "Backspace"]]
} as const satisfies Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

const labels: Readonly<Record<string, string>> = {
  Shift: "⇧",
  Backspace: "⌫",
  Enter: "return",
  Digits: "123",
  Letters: "ABC",
  " ": "space"
}

/** Changes the text of a field as its key would on a phone. */
const press = (field: Field, key: string): void => {
  if (!field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))) return
  const [from, to] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length]
  if (key === "Backspace") field.setRangeText("", from === to ? Math.max(0, from - 1) : from, to, "end")
  else if (field.maxLength < 0 || field.value.length - (to - from) < field.maxLength) {
    field.setRangeText(key === "Enter" ? "\n" : key, from, to, "end")
  }
  field.dispatchEvent(new Event("input", { bubbles: true }))
}

/** Draws the keys; `field` is the one that is typed into. */
export const makeKeys = (field: () => Field | undefined) => {
  const drawn = element("keys")
  drawn.ariaHidden = "true"
  let layout: keyof typeof layouts = "letters"
  let isShifted = false

  const keyOf = (key: string): HTMLElement => {
    const made = element(key.length > 1 ? "key other" : "key")
    made.dataset["key"] = isShifted && layout === "letters" && key.length === 1 ? key.toUpperCase() : key
    made.textContent = labels[key] ?? made.dataset["key"] ?? key
    if (key === " ") made.style.flexGrow = "5"
    else if (key.length > 1) made.style.flexGrow = "1.5"
    return made
  }

  const draw = (): void => {
    drawn.classList.toggle("dark", isDark())
    drawn.replaceChildren(...layouts[layout].map((row) => element("row", ...row.map(keyOf))))
  }

  const pressed = (key: string): void => {
    const typed = field()
    if (key === "Digits" || key === "Letters") layout = key === "Digits" ? "digits" : "letters"
    else if (key === "Shift") isShifted = !isShifted
    else {
      isShifted = false
      if (typed !== undefined) press(typed, key)
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
      layout = /^(?:numeric|decimal|tel)$/.test(typed.inputMode) ? "pad" : "letters"
      isShifted = typed.value === "" && typed.autocapitalize !== "none"
      draw()
    }
  }
}
