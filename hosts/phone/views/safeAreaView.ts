import { Edge } from "yoga-layout/load"
import { insets, screenSize } from "../runtime/device.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"

/** Where an element's corner is on the screen, without its animations. */
const placeOf = (drawn: HTMLElement): { readonly x: number; readonly y: number } => {
  let [x, y] = [0, 0]
  for (let at: Element | null = drawn; at instanceof HTMLElement; at = at.offsetParent) {
    x += at.offsetLeft - (at === drawn ? 0 : at.scrollLeft)
    y += at.offsetTop - (at === drawn ? 0 : at.scrollTop)
  }
  return { x, y }
}

const within = (length: number, most: number): number => Math.max(0, Math.min(length, most))

/** React Native's own `SafeAreaView`: it keeps its content away from what belongs to the device, as far as it is there itself. */
export const safeAreaView: Component = (own): Drawing => {
  const drawn = element("view")
  let kept = [0, 0, 0, 0]
  return {
    element: drawn,
    shape: (node) => {
      const edges = [Edge.Top, Edge.Right, Edge.Bottom, Edge.Left]
      for (const [index, edge] of edges.entries()) node.setPadding(edge, kept[index])
    },
    laidOut: (box) => {
      const { bottom, left, right, top } = insets()
      const { height, width } = screenSize()
      const { x, y } = placeOf(drawn)
      const next = [
        within(top - y, top),
        within(x + box.width - (width - right), right),
        within(y + box.height - (height - bottom), bottom),
        within(left - x, left)
      ]
      if (next.every((length, index) => length === kept[index])) return
      kept = next
      own.resized()
    }
  }
}
