import { numberIn, textIn } from "../runtime/decode.ts"
import type { Component } from "./Component.ts"
import { element } from "./element.ts"

/** What is behind it, blurred. */
export const blur: Component = (own) => {
  const drawn = element("view")
  return {
    element: drawn,
    update: () => {
      const props = own.props()
      const strength = numberIn(props["intensity"]) ?? numberIn(props["blurAmount"]) ?? 50
      const isDark = /dark/i.test(textIn(props["tint"]) ?? textIn(props["blurType"]) ?? "")
      drawn.style.backdropFilter = `blur(${strength / 5}px)`
      drawn.style.backgroundColor = isDark ? `rgb(0 0 0/${strength / 200})` : `rgb(255 255 255/${strength / 200})`
    }
  }
}
