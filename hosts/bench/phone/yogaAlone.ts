/**
 * In a browser: lays trees out by Yoga and nothing else. It puts `yogaAlone(trees, fontFamily)` into the page, which
 * answers the left, top, width and height of every component, each tree from its root on.
 */
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
  type Config,
  type Node,
  type Yoga
} from "yoga-layout/load"
import type { Tree } from "./randomTrees.ts"

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

const nodeOf = (yoga: Yoga, config: Config, family: string, { children, style, text }: Tree): Node => {
  const node = yoga.Node.create(config)
  for (const [name, value] of Object.entries(style))
    (setters[name] ?? ((one) => setEdge(one, name, value)))(node, value)
  if (text !== undefined) {
    const size = Number(style["fontSize"])
    node.setMeasureFunc((width, mode) =>
      measure(text, size, family, mode === MeasureMode.Undefined ? undefined : width)
    )
  }
  for (const [index, child] of children.entries()) node.insertChild(nodeOf(yoga, config, family, child), index)
  return node
}

const boxes = (node: Node, left: number, top: number): ReadonlyArray<ReadonlyArray<number>> => {
  const box = node.getComputedLayout()
  const [x, y] = [left + box.left, top + box.top]
  return [
    [x, y, box.width, box.height],
    ...Array.from({ length: node.getChildCount() }, (_, index) => boxes(node.getChild(index), x, y)).flat()
  ]
}

const yogaAlone = async (trees: ReadonlyArray<Tree>, family: string) => {
  const yoga = await loadYoga()
  const config = yoga.Config.create()
  config.setErrata(Errata.All)
  config.setPointScaleFactor(2)
  // Percentages can depend on what stands two levels above: each tree is in a screen, as the drawn one is.
  const screen: Tree["style"] = { width: 390, height: 844 }
  return trees.map((tree) => {
    const around = { style: { ...screen, position: "absolute", left: 0, top: 0 }, children: [tree] }
    const root = nodeOf(yoga, config, family, { style: screen, children: [around] })
    root.calculateLayout(390, 844, Direction.LTR)
    return boxes(root.getChild(0).getChild(0), 0, 0)
  })
}

Reflect.set(window, "yogaAlone", yogaAlone)
