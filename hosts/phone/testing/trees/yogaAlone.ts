/** Yoga alone, with a method for each property: the drawn layout is compared with that. */
import {
  Align,
  Direction,
  Display,
  Edge,
  Errata,
  FlexDirection,
  Gutter,
  Justify,
  loadYoga,
  MeasureMode,
  PositionType,
  Wrap,
  type Node
} from "yoga-layout/load"
import type { Family, ShadowNode } from "../../fabric/ShadowNode.ts"
import { screenSize, scale } from "../../runtime/device.ts"

type Value = string | number
type Set = (node: Node, value: Value) => void
type Length = number | "auto" | `${number}%`

const asLength = (value: Value): Length => value as Length

const directions: Readonly<Record<string, FlexDirection>> = {
  row: FlexDirection.Row,
  column: FlexDirection.Column,
  "row-reverse": FlexDirection.RowReverse,
  "column-reverse": FlexDirection.ColumnReverse
}
const justified: Readonly<Record<string, Justify>> = {
  "flex-start": Justify.FlexStart,
  center: Justify.Center,
  "flex-end": Justify.FlexEnd,
  "space-between": Justify.SpaceBetween,
  "space-around": Justify.SpaceAround,
  "space-evenly": Justify.SpaceEvenly
}
const aligned: Readonly<Record<string, Align>> = {
  auto: Align.Auto,
  "flex-start": Align.FlexStart,
  center: Align.Center,
  "flex-end": Align.FlexEnd,
  stretch: Align.Stretch,
  "space-between": Align.SpaceBetween,
  "space-around": Align.SpaceAround
}
const edges: Readonly<Record<string, Edge>> = {
  "": Edge.All,
  Top: Edge.Top,
  Right: Edge.Right,
  Bottom: Edge.Bottom,
  Left: Edge.Left,
  Horizontal: Edge.Horizontal,
  Vertical: Edge.Vertical,
  Start: Edge.Start,
  End: Edge.End
}

const named =
  <A>(values: Readonly<Record<string, A>>, set: (node: Node, value: A) => void): Set =>
  (node, name) => {
    const value = values[String(name)]
    if (value !== undefined) set(node, value)
  }

const setters: Readonly<Record<string, Set>> = {
  flexDirection: named(directions, (node, value) => node.setFlexDirection(value)),
  justifyContent: named(justified, (node, value) => node.setJustifyContent(value)),
  alignItems: named(aligned, (node, value) => node.setAlignItems(value)),
  alignSelf: named(aligned, (node, value) => node.setAlignSelf(value)),
  alignContent: named(aligned, (node, value) => node.setAlignContent(value)),
  flexWrap: named({ wrap: Wrap.Wrap, nowrap: Wrap.NoWrap, "wrap-reverse": Wrap.WrapReverse }, (node, value) =>
    node.setFlexWrap(value)
  ),
  direction: named({ ltr: Direction.LTR, rtl: Direction.RTL }, (node, value) => node.setDirection(value)),
  display: named({ none: Display.None }, (node, value) => node.setDisplay(value)),
  position: named({ absolute: PositionType.Absolute, relative: PositionType.Relative }, (node, value) =>
    node.setPositionType(value)
  ),
  flex: (node, value) => node.setFlex(Number(value)),
  flexGrow: (node, value) => node.setFlexGrow(Number(value)),
  flexShrink: (node, value) => node.setFlexShrink(Number(value)),
  flexBasis: (node, value) => node.setFlexBasis(asLength(value)),
  aspectRatio: (node, value) => node.setAspectRatio(Number(value)),
  width: (node, value) => node.setWidth(asLength(value)),
  height: (node, value) => node.setHeight(asLength(value)),
  minWidth: (node, value) => node.setMinWidth(value as number),
  maxWidth: (node, value) => node.setMaxWidth(value as number),
  minHeight: (node, value) => node.setMinHeight(value as number),
  maxHeight: (node, value) => node.setMaxHeight(value as number),
  gap: (node, value) => node.setGap(Gutter.All, Number(value)),
  rowGap: (node, value) => node.setGap(Gutter.Row, Number(value)),
  columnGap: (node, value) => node.setGap(Gutter.Column, Number(value))
}

const setEdge = (node: Node, name: string, value: Value): void => {
  const [, what, edge = "", width] = /^(margin|padding|border)([A-Z]\w*?)??(Width)?$/.exec(name) ?? []
  const inset = edges[name.charAt(0).toUpperCase() + name.slice(1)]
  if (what === "margin") node.setMargin(edges[edge] ?? Edge.All, asLength(value))
  else if (what === "padding") node.setPadding(edges[edge] ?? Edge.All, value as number)
  else if (what === "border" && width !== undefined) node.setBorder(edges[edge] ?? Edge.All, Number(value))
  else if (inset !== undefined) node.setPosition(inset, value as number)
}

/** How large a text is at most so wide, by an element of its own. */
const measure = (text: string, size: number, family: string, room: number | undefined) => {
  const element = document.createElement("div")
  element.style.cssText = `position:absolute;visibility:hidden;white-space:pre-wrap;overflow-wrap:break-word;line-height:normal;font:${size}px ${family};line-height:normal;width:max-content`
  element.textContent = text
  document.body.append(element)
  let { height, width } = element.getBoundingClientRect()
  if (room !== undefined && width > room) {
    element.style.width = `${room}px`
    const range = document.createRange()
    range.selectNodeContents(element)
    const lines = Array.from(range.getClientRects())
    height = element.getBoundingClientRect().height
    width = Math.min(room, Math.max(...lines.map(({ right }) => right)) - Math.min(...lines.map(({ left }) => left)))
  }
  element.remove()
  return { width, height }
}

const styled = (made: Node, props: ShadowNode["props"]): Node => {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value !== "string" && typeof value !== "number") continue
    const set = setters[name]
    if (set === undefined) setEdge(made, name, value)
    else set(made, value)
  }
  return made
}

interface Known {
  readonly node: Node
  readonly children: ReadonlyArray<ShadowNode>
}

/** Where a component is on the screen, and how large. */
export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Lays out a tree, as it is and as it changes. A known component gets its changes, as on a phone: what was computed of
 * it before is kept there too, and Yoga may come to something else than for one that is new.
 */
export const makeYogaAlone = async (fontFamily: string) => {
  const yoga = await loadYoga()
  const config = yoga.Config.create()
  config.setErrata(Errata.All)
  config.setPointScaleFactor(scale())

  const ask = (component: ShadowNode, known: Map<Family, Known>): Node => {
    const { children, family, props } = component
    const before = known.get(family)
    const fresh = styled(yoga.Node.create(config), props)
    const node = before?.node ?? fresh
    if (before !== undefined) {
      node.copyStyle(fresh)
      fresh.free()
    }
    known.set(family, { node, children })
    if (family.name === "Text") {
      const [text, size] = [String(children[0]?.props["text"]), Number(props["fontSize"])]
      node.setMeasureFunc((width, mode) =>
        measure(text, size, fontFamily, mode === MeasureMode.Undefined ? undefined : width)
      )
      return node
    }
    const families = new Set(children.map((child) => child.family))
    for (const { family: gone } of before?.children ?? []) {
      const taken = families.has(gone) ? undefined : known.get(gone)
      if (taken !== undefined) node.removeChild(taken.node)
    }
    for (const [index, child] of children.entries()) {
      const isThere = known.has(child.family)
      const asked = ask(child, known)
      if (!isThere) node.insertChild(asked, index)
    }
    return node
  }

  return () => {
    const known = new Map<Family, Known>()
    const { height, width } = screenSize()
    const top = yoga.Node.create(config)
    top.setWidth(width)
    top.setHeight(height)
    return (tree: ShadowNode): ReadonlyMap<Family, Rect> => {
      const isThere = known.has(tree.family)
      const asked = ask(tree, known)
      if (!isThere) top.insertChild(asked, 0)
      top.calculateLayout(width, height, Direction.LTR)
      const places = new Map<Family, Rect>()
      const look = ({ children, family }: ShadowNode, left: number, top: number): void => {
        const box = known.get(family)?.node.getComputedLayout()
        if (box === undefined) return
        const [x, y] = [left + box.left, top + box.top]
        places.set(family, { x, y, width: box.width, height: box.height })
        for (const child of children) look(child, x, y)
      }
      look(tree, 0, 0)
      return places
    }
  }
}
