import { Edge } from "yoga-layout/load"
import type { Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, listIn, numberIn } from "../runtime/decode.ts"
import { insets, layoutSize } from "../runtime/device.ts"
import { type Component, element } from "../views/Component.ts"

const metrics = () => ({ insets: insets(), frame: { x: 0, y: 0, ...layoutSize() } })

const provider: Component = (context) => {
  let emitted = ""
  return {
    element: element("view"),
    laidOut: () => {
      const now = metrics()
      const text = JSON.stringify(now)
      if (text === emitted) return
      emitted = text
      context.emit("topInsetsChange", now)
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

const area: Component = () => {
  const inset = new Set<Edge>()
  return {
    element: element("view"),
    shape: (node, props) => {
      const isMargin = props["mode"] === "margin"
      const now = insets()
      for (const [side, edge, axis] of sides) {
        const by = isUsed(props["edges"], side) ? now[side] : 0
        // Where nothing is added, its style holds, which may name the edge in another way.
        if (by === 0 && !inset.delete(edge)) continue
        if (by > 0) inset.add(edge)
        if (isMargin) node.setMargin(edge, given(props, "margin", side, axis) + by)
        else node.setPadding(edge, given(props, "padding", side, axis) + by)
      }
    }
  }
}

/** react-native-safe-area-context */
export const safeArea: Pack = {
  components: { RNCSafeAreaProvider: provider, RNCSafeAreaView: area },
  modules: () => ({ RNCSafeAreaContext: { getConstants: () => ({ initialWindowMetrics: metrics() }) } })
}
