import { fieldsIn, numberIn, type Fields } from "../runtime/decode.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"

const slopText = (value: unknown): string | undefined => {
  const all = numberIn(value)
  const sides = fieldsIn(value)
  const by = ["top", "right", "bottom", "left"].map((side) => all ?? numberIn(sides[side]) ?? 0)
  return by.some((one) => one > 0) ? by.map((one) => `${-Math.max(0, one)}px`).join(" ") : undefined
}

/** Who takes a touch: the view itself, its children, both or neither; and how far around itself. */
export const takeTouches = (drawn: Element, props: Fields, before: Fields): void => {
  if (!(drawn instanceof HTMLElement)) return
  if (props["pointerEvents"] !== before["pointerEvents"]) {
    drawn.classList.toggle("box-none", props["pointerEvents"] === "box-none")
    drawn.classList.toggle("box-only", props["pointerEvents"] === "box-only")
  }
  if (props["hitSlop"] !== before["hitSlop"]) {
    const slop = slopText(props["hitSlop"])
    drawn.classList.toggle("slop", slop !== undefined)
    drawn.style.setProperty("--slop", slop ?? "0px")
  }
}

/** A plain view. */
export const view: Component = (): Drawing => ({ element: element("view") })

/** What lets its children be laid out as if they were its parent's. */
export const transparent: Component = (): Drawing => ({ element: element("view") })

/** A box with a text, for what can't be drawn; children are drawn above it. */
export const labelled = (text: string): HTMLElement => {
  const label = element("name")
  label.textContent = text
  return element("view unknown", label)
}

/** A component that the phone doesn't have: a box of its size, with its name. */
export const unknown: Component = ({ name, notes }): Drawing => {
  notes.missing("component", name)
  const drawn = labelled(name.replace(/^ViewManagerAdapter_/, ""))
  drawn.title = `${name} isn’t there in a browser.`
  return { element: drawn }
}
