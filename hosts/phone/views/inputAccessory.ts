import { color } from "../style/color.ts"
import { textIn } from "../runtime/decode.ts"
import { screenSize } from "../runtime/device.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"
import { isTyped, keyboardHeight } from "./keyboardHeight.ts"

/** What stands above the keyboard while a field is typed into that names it: `InputAccessoryView`. */
export const inputAccessory: Component = (own): Drawing => {
  const drawn = element("view away")

  const look = (): void => {
    const { activeElement } = document
    const name = textIn(own.props()["nativeID"])
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
