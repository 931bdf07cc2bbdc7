import { Edge } from "yoga-layout/load"
import { fieldsIn, listIn, numberIn, type Fields } from "../../runtime/decode.ts"
import { insets, screenSize } from "../../runtime/device.ts"
import type { Component } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import type { Pack } from "../../modules/Pack.ts"

const metrics = () => ({ insets, frame: { x: 0, y: 0, ...screenSize() } })

const provider: Component = (own) => {
  let emitted = ""
  return {
    element: element("view"),
    laidOut: () => {
      const now = metrics()
      const text = JSON.stringify(now)
      if (text === emitted) return
      emitted = text
      own.emit("topInsetsChange", now)
    }
  }
}

const sides = [
  ["top", Edge.Top, "Vertical"],
  ["right", Edge.Right, "Horizontal"],
  ["bottom", Edge.Bottom, "Vertical"],
  ["left", Edge.Left, "Horizontal"]
] as const

const isUsed = (edges: unknown, side: string): boolean =>
  edges === undefined ? true : Array.isArray(edges) ? listIn(edges).includes(side) : fieldsIn(edges)[side] !== "off"

const given = (props: Fields, kind: string, side: string, axis: string): number => {
  const name = `${kind}${side.slice(0, 1).toUpperCase()}${side.slice(1)}`
  return numberIn(props[name]) ?? numberIn(props[`${kind}${axis}`]) ?? numberIn(props[kind]) ?? 0
}

const area: Component = () => ({
  element: element("view"),
  shape: (node, props) => {
    const isMargin = props["mode"] === "margin"
    for (const [side, edge, axis] of sides) {
      const inset = isUsed(props["edges"], side) ? insets[side] : 0
      if (inset === 0) continue
      if (isMargin) node.setMargin(edge, given(props, "margin", side, axis) + inset)
      else node.setPadding(edge, given(props, "padding", side, axis) + inset)
    }
  }
})

/** react-native-safe-area-context */
export const safeArea: Pack = {
  components: { RNCSafeAreaProvider: provider, RNCSafeAreaView: area },
  modules: () => ({ RNCSafeAreaContext: { getConstants: () => ({ initialWindowMetrics: metrics() }) } })
}
