/** Runs in a browser: draws rows or components, and random trees that are compared with Yoga alone. */
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
  type Node,
  PositionType,
  Wrap
} from "yoga-layout/load"
import { type Family, makeShadowTree, shadowNode, type ShadowNode, type ShadowTree } from "../fabric/ShadowTree.ts"
import { makeEvents } from "../fabric/events.ts"
import { makeSurface, type Surface } from "../fabric/surface.ts"
import { makeLayout } from "../fabric/yoga.ts"
import { makeCalls } from "../runtime/calls.ts"
import type { Fields } from "../runtime/decode.ts"
import { scale, screenSize } from "../runtime/device.ts"
import { makeNotes } from "../runtime/notes.ts"
import { components } from "../views/registry.ts"
import { sheet } from "../views/stylesheet.ts"
import type { Compared, Counted } from "./compareTrees.ts"

/** What draws an app, in a page where nothing else is. */
const bareSurface = async (): Promise<Surface> => {
  const style = document.createElement("style")
  style.textContent = sheet
  document.head.append(style)
  const root = document.createElement("div")
  root.className = "phone"
  document.body.replaceChildren(root)
  const notes = makeNotes(root)
  const tree = makeShadowTree()
  return makeSurface({
    tree,
    root,
    yoga: await makeLayout(),
    events: makeEvents(tree, makeCalls(reportError), notes),
    notes,
    components: new Map(Object.entries(components)),
    assetUrls: (uri) => [uri]
  })
}

let last = 0

const node = (name: string, props: Fields, children: Array<ShadowNode>): ShadowNode => {
  last += 1
  return shadowNode({ tag: last, name, handle: {} }, props, children)
}

const row = (_: unknown, at: number): ShadowNode =>
  node("View", { flexDirection: "row" }, [node("Text", {}, [node("RawText", { text: `Row ${at}` }, [])])])

const drawRows = async (rows: number): Promise<void> => {
  const surface = await bareSurface()
  surface.commit([node("View", {}, Array.from({ length: rows }, row))])
}

const drawEach = async (name: string, all: ReadonlyArray<Fields>): Promise<void> => {
  const surface = await bareSurface()
  surface.commit([
    node(
      "View",
      {},
      all.map((props) => node(name, props, []))
    )
  ])
}

Object.assign(globalThis, { drawRows, drawEach })

type Style = Readonly<Record<string, string | number>>

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const words = "the tide turns at noon and a small boat puts out to sea with nets ropes and a lamp".split(" ")

let lastTag = 100
const family = (name: string) => ({ tag: (lastTag += 2), name, handle: undefined })

/** A tree of up to a few dozen components, with the styles that layout depends on; and the same tree after a change. */
const randomTree = (seed: number): { readonly tree: ShadowNode; readonly changed: ShadowNode } => {
  const random = randomOf(seed)
  const of = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)] as A
  const points = (most: number) => Math.round(random() * most * 2) / 2
  const length = (most: number): number | string => (random() < 0.25 ? `${Math.round(random() * 100)}%` : points(most))
  const sometimes = (chance: number, values: () => Style): Style => (random() < chance ? values() : {})
  const edges = ["", "Top", "Right", "Bottom", "Left", "Horizontal", "Vertical", "Start", "End"]

  const style = (): Style => ({
    ...sometimes(0.5, () => ({ flexDirection: of(["row", "column", "row-reverse", "column-reverse"]) })),
    ...sometimes(0.4, () => ({
      justifyContent: of(["flex-start", "center", "flex-end", "space-between", "space-around", "space-evenly"])
    })),
    ...sometimes(0.4, () => ({ alignItems: of(["flex-start", "center", "flex-end", "stretch"]) })),
    ...sometimes(0.2, () => ({ alignSelf: of(["auto", "flex-start", "center", "flex-end", "stretch"]) })),
    ...sometimes(0.2, () => ({ flexWrap: of(["wrap", "nowrap", "wrap-reverse"]) })),
    ...sometimes(0.15, () => ({
      alignContent: of(["flex-start", "center", "flex-end", "stretch", "space-between", "space-around"])
    })),
    ...sometimes(0.25, () => ({ flex: of([1, 2, 0.5]) })),
    ...sometimes(0.2, () => ({ flexGrow: points(3) })),
    ...sometimes(0.2, () => ({ flexShrink: points(3) })),
    ...sometimes(0.15, () => ({ flexBasis: length(120) })),
    ...sometimes(0.35, () => ({ width: length(300) })),
    ...sometimes(0.35, () => ({ height: length(200) })),
    ...sometimes(0.1, () => ({ minWidth: length(120) })),
    ...sometimes(0.1, () => ({ maxWidth: length(300) })),
    ...sometimes(0.1, () => ({ minHeight: length(80) })),
    ...sometimes(0.1, () => ({ maxHeight: length(200) })),
    ...sometimes(0.1, () => ({ aspectRatio: of([1, 1.5, 0.5, 16 / 9]) })),
    ...sometimes(0.2, () => ({ [`margin${of(edges)}`]: points(20) })),
    ...sometimes(0.05, () => ({ [`margin${of(edges)}`]: "auto" })),
    ...sometimes(0.3, () => ({ [`padding${of(edges)}`]: points(20) })),
    // A browser draws borders of whole pixels of the screen alone.
    ...sometimes(0.15, () => ({ [`border${of(["", "Top", "Right", "Bottom", "Left"])}Width`]: Math.round(points(6)) })),
    ...sometimes(0.15, () => ({ [of(["gap", "rowGap", "columnGap"])]: points(16) })),
    ...sometimes(0.08, () => ({ direction: of(["ltr", "rtl"]) })),
    ...sometimes(0.03, () => ({ display: "none" })),
    ...sometimes(0.1, () => ({
      position: "absolute",
      [of(["left", "right", "start", "end"])]: length(40),
      [of(["top", "bottom"])]: length(40)
    })),
    ...sometimes(0.08, () => ({ position: "relative", left: points(10), top: points(10) }))
  })

  const text = (): ShadowNode => {
    const characters = Array.from({ length: 1 + Math.floor(random() * 14) }, () => of(words)).join(" ")
    return {
      family: family("Text"),
      props: { ...style(), fontSize: of([11, 14, 17, 22]) },
      children: [{ family: family("RawText"), props: { text: characters }, children: [] }]
    }
  }

  const node = (depth: number, props = style()): ShadowNode => {
    if (depth > 0 && random() < 0.25) return text()
    const count = depth >= 4 ? 0 : Math.floor(random() * 5)
    return { family: family("View"), props, children: Array.from({ length: count }, () => node(depth + 1)) }
  }

  /** Other styles here and there, other children now and then. */
  const changed = ({ children, family, props }: ShadowNode, depth: number): ShadowNode => {
    if (family.name === "Text") return { family, props, children }
    const now = children.filter(() => random() >= 0.15).map((child) => changed(child, depth + 1))
    if (depth < 3 && random() < 0.2) now.push(node(depth + 1))
    return { family, props: depth > 0 && random() < 0.4 ? style() : props, children: now }
  }

  const tree = node(0, { width: 390, height: 844 })
  return { tree, changed: changed(tree, 0) }
}

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
interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Lays out a tree, as it is and as it changes. A known component gets its changes, as on a phone: what was computed of
 * it before is kept there too, and Yoga may come to something else than for one that is new.
 */
const makeYogaAlone = async (fontFamily: string) => {
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

/** What a browser draws no larger and no further away, in points: some trees come to billions. */
const most = 2 ** 24

const boxFields = ["x", "y", "width", "height"] as const

/** How many components of a tree are there, and which of them are off by more than half a pixel. */
const count = (tree: ShadowNode, drawn: ShadowTree, places: ReadonlyMap<ShadowNode["family"], Rect>): Counted => {
  const off: Array<string> = []
  let [nodes, texts] = [0, 0]
  const look = ({ children, family, props }: ShadowNode): void => {
    const place = places.get(family)
    if (place === undefined || props["display"] === "none") return
    if (boxFields.every((edge) => Math.abs(place[edge]) < most)) {
      nodes += 1
      if (family.name === "Text") texts += 1
      const box = drawn.byFamily.get(family)?.drawing.element.getBoundingClientRect()
      if (box === undefined || boxFields.some((edge) => Math.abs(box[edge] - place[edge]) > 0.5)) {
        off.push(`${family.name} ${JSON.stringify(props)}: ${JSON.stringify(box)} and not ${JSON.stringify(place)}`)
      }
    }
    if (family.name !== "Text") children.forEach(look)
  }
  look(tree)
  return { nodes, texts, off }
}

const sum = (all: ReadonlyArray<Counted>): Counted => ({
  nodes: all.reduce((before, { nodes }) => before + nodes, 0),
  texts: all.reduce((before, { texts }) => before + texts, 0),
  off: all.flatMap(({ off }) => off)
})

const run = async (trees: number): Promise<Compared> => {
  const surface = await bareSurface()
  const alone = await makeYogaAlone(getComputedStyle(surface.element).fontFamily)
  const all = Array.from({ length: trees }, (_, index) => {
    const { changed, tree } = randomTree(index + 1)
    const ask = alone()
    const draw = (node: ShadowNode): Counted => {
      surface.commit([node])
      return count(node, surface.tree, ask(node))
    }
    return { drawn: draw(tree), changed: draw(changed) }
  })
  return { drawn: sum(all.map(({ drawn }) => drawn)), changed: sum(all.map(({ changed }) => changed)) }
}

Object.assign(globalThis, { compareTrees: run })
