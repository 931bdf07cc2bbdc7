import { color } from "../style/color.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"

/** The wheel that turns while something is under way. */
export const activityIndicator: Component = (): Drawing => {
  const wheel = element("wheel")
  wheel.style.cssText =
    "position:absolute;inset:0;margin:auto;aspect-ratio:1;max-width:100%;max-height:100%;border-radius:50%;" +
    "mask:radial-gradient(farthest-side,transparent 62%,#000 64%);animation:phone-turn 1s steps(8) infinite"
  const drawn = element("view", wheel)
  drawn.setAttribute("role", "progressbar")
  let size = 20
  return {
    element: drawn,
    measure: () => ({ width: size, height: size }),
    update: (props) => {
      size = props["size"] === "large" ? 36 : 20
      const paint = props["color"] === undefined || props["color"] === null ? "#999" : color(props["color"])
      wheel.style.background = `conic-gradient(transparent, ${paint})`
      const isStopped = props["animating"] === false
      wheel.style.animationPlayState = isStopped ? "paused" : ""
      drawn.style.visibility = isStopped && props["hidesWhenStopped"] !== false ? "hidden" : ""
    }
  }
}
