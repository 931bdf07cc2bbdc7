import { Edge, PositionType } from "yoga-layout/load"
import { textIn } from "../runtime/decode.ts"
import { screenSize } from "../runtime/device.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"

const entrances: Readonly<Record<string, Keyframe[]>> = {
  slide: [{ transform: "translateY(100%)" }, { transform: "none" }],
  fade: [{ opacity: 0 }, { opacity: 1 }]
}

/** A window above all others, as large as the screen. */
export const modal: Component = (own): Drawing => {
  const drawn = element("view")
  drawn.setAttribute("role", "dialog")
  drawn.ariaModal = "true"
  drawn.style.zIndex = "1"
  let isShown = false
  let orientation: string | undefined

  const show = (): void => {
    isShown = true
    const frames = entrances[textIn(own.props()["animationType"]) ?? "none"]
    const shown = (): void => own.emit("topShow", {})
    if (frames === undefined) shown()
    else drawn.animate(frames, { duration: 300, easing: "ease-out" }).addEventListener("finish", shown)
  }

  /** Reports the orientation, at first and at each change. */
  const turned = (): void => {
    const { height, width } = screenSize()
    const now = height >= width ? "portrait" : "landscape"
    if (now === orientation) return
    orientation = now
    own.emit("topOrientationChange", { orientation: now })
  }

  const dismiss = (): void => {
    isShown = false
    own.emit("topDismiss", { modalID: own.props()["identifier"] })
  }

  return {
    element: drawn,
    isOverlay: true,
    shape: (node) => {
      const { height, width } = screenSize()
      node.setPositionType(PositionType.Absolute)
      node.setPosition(Edge.Left, 0)
      node.setPosition(Edge.Top, 0)
      node.setWidth(width)
      node.setHeight(height)
    },
    update: (props) => {
      const isVisible = props["visible"] !== false
      drawn.classList.toggle("gone", !isVisible)
      drawn.style.backgroundColor = props["transparent"] === true ? "" : "#fff"
      if (!isVisible && isShown) {
        dismiss()
      }
    },
    laidOut: () => {
      if (own.props()["visible"] === false) return
      if (!isShown) show()
      turned()
    },
    unmounted: () => {
      if (isShown) dismiss()
    }
  }
}
