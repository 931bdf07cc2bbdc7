/**
 * Runs in a browser: random trees of views and texts are drawn by the phone, changed, drawn again, and compared with what
 * Yoga says of the same styles when it is asked alone.
 */
import {
  Align,
  Direction,
  Edge,
  Errata,
  FlexDirection,
  Gutter,
  Justify,
  loadYoga,
  PositionType,
  Wrap,
  type Config,
  type Node,
  type Yoga
} from "yoga-layout/load"
import { makeEvents } from "../fabric/events.ts"
import type { Family, ShadowNode } from "../fabric/ShadowNode.ts"
import { makeSurface } from "../fabric/surface.ts"
import { makeLayout } from "../layout/yoga.ts"
import { makeCalls } from "../runtime/calls.ts"
import type { Fields } from "../runtime/decode.ts"
import { scale } from "../runtime/device.ts"
import { makeNotes } from "../runtime/notes.ts"
import { components } from "../views/registry.ts"
import { sheet } from "../views/sheet.ts"
import { measureText } from "../views/measureText.ts"

/** Numbers that look random and are the same each time. */
const makeRandom = (seed: number) => {
  let state = seed
  const next = (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
  const upTo = (most: number): number => Math.floor(next() * most)
  return {
    upTo,
    isSo: (chance: number): boolean => next() < chance,
    oneOf: <A>(values: readonly [A, ...ReadonlyArray<A>]): A => values[upTo(values.length)] ?? values[0]
  }
}
type Random = ReturnType<typeof makeRandom>

const directions = { row: FlexDirection.Row, column: FlexDirection.Column, "row-reverse": FlexDirection.RowReverse }
const justifications = {
  "flex-start": Justify.FlexStart,
  center: Justify.Center,
  "space-between": Justify.SpaceBetween,
  "space-evenly": Justify.SpaceEvenly
}
const alignments = {
  stretch: Align.Stretch,
  center: Align.Center,
  "flex-end": Align.FlexEnd,
  "flex-start": Align.FlexStart
}

/** Some properties of a style, each with its chance to be there. */
const styleOf = ({ isSo, oneOf, upTo }: Random): Fields => {
  const style: Record<string, unknown> = {}
  const maybe = (chance: number, name: string, value: () => unknown): void => {
    if (isSo(chance)) style[name] = value()
  }
  const length = () => upTo(90) + 5
  const size = () => (isSo(0.3) ? (`${upTo(80) + 10}%` as const) : length())
  maybe(0.3, "width", size)
  maybe(0.25, "height", size)
  maybe(0.15, "minWidth", length)
  maybe(0.15, "maxHeight", length)
  maybe(0.2, "flex", () => upTo(3))
  maybe(0.15, "flexGrow", () => upTo(3))
  maybe(0.15, "flexShrink", () => upTo(2))
  maybe(0.1, "flexBasis", length)
  maybe(0.4, "flexDirection", () => oneOf(["row", "column", "row-reverse"]))
  maybe(0.3, "justifyContent", () => oneOf(["flex-start", "center", "space-between", "space-evenly"]))
  maybe(0.3, "alignItems", () => oneOf(["stretch", "center", "flex-end", "flex-start"]))
  maybe(0.2, "flexWrap", () => "wrap")
  maybe(0.3, "padding", () => upTo(12))
  maybe(0.2, "margin", () => upTo(10))
  maybe(0.1, "marginLeft", () => "auto")
  maybe(0.15, "borderWidth", () => upTo(4))
  maybe(0.15, "gap", () => upTo(10))
  maybe(0.1, "aspectRatio", () => 1 + upTo(3) / 2)
  if (isSo(0.12)) Object.assign(style, { position: "absolute", left: upTo(40), top: upTo(40) })
  return style
}

const words = "harbour tide berth mooring lantern keel anchor buoy".split(" ")

let lastTag = 12

const randomNode = (random: Random, depth: number): ShadowNode => {
  const isText = depth > 0 && random.isSo(0.3)
  const family = (name: string) => ({ tag: (lastTag += 2), name, handle: undefined })
  if (isText) {
    const text = Array.from({ length: random.upTo(9) + 1 }, () => random.oneOf(["sea", ...words])).join(" ")
    const characters: ShadowNode = { family: family("RawText"), props: { text }, children: [] }
    const style = styleOf(random)
    return { family: family("Text"), props: { ...style, fontSize: 10 + random.upTo(12) }, children: [characters] }
  }
  const count = depth > 3 ? 0 : random.upTo(5)
  return {
    family: family("View"),
    props: styleOf(random),
    children: Array.from({ length: count }, () => randomNode(random, depth + 1))
  }
}

/** The same tree with other styles here and there, other children now and then. */
const changedNode = (random: Random, node: ShadowNode, depth: number): ShadowNode => {
  const children =
    node.family.name === "Text"
      ? node.children
      : node.children.filter(() => !random.isSo(0.15)).map((child) => changedNode(random, child, depth + 1))
  if (node.family.name === "View" && depth < 3 && random.isSo(0.2)) children.push(randomNode(random, depth + 1))
  const isStyled = node.family.name === "View" && random.isSo(0.4)
  return { family: node.family, props: isStyled ? styleOf(random) : node.props, children }
}

type Size = number | `${number}%` | "auto"

/** A node of Yoga's own with the children that it has. */
interface Asked {
  readonly node: Node
  readonly children: ReadonlyArray<ShadowNode>
}

/** Tells a new node of Yoga's the style of a component: each property by its own method. */
const styled = (yoga: Yoga, config: Config, { props }: ShadowNode): Node => {
  const made = yoga.Node.create(config)
  const tell = <A>(name: string, set: (value: A) => void): void => {
    if (props[name] !== undefined) set(props[name] as A)
  }
  const named = <A>(name: string, values: Readonly<Record<string, A>>, set: (value: A) => void): void =>
    tell<string>(name, (value) => {
      const found = values[value]
      if (found !== undefined) set(found)
    })
  tell<Size>("width", (value) => made.setWidth(value))
  tell<Size>("height", (value) => made.setHeight(value))
  tell<number>("minWidth", (value) => made.setMinWidth(value))
  tell<number>("maxHeight", (value) => made.setMaxHeight(value))
  tell<number>("flex", (value) => made.setFlex(value))
  tell<number>("flexGrow", (value) => made.setFlexGrow(value))
  tell<number>("flexShrink", (value) => made.setFlexShrink(value))
  tell<number>("flexBasis", (value) => made.setFlexBasis(value))
  named("flexDirection", directions, (value) => made.setFlexDirection(value))
  named("justifyContent", justifications, (value) => made.setJustifyContent(value))
  named("alignItems", alignments, (value) => made.setAlignItems(value))
  tell("flexWrap", () => made.setFlexWrap(Wrap.Wrap))
  tell<number>("padding", (value) => made.setPadding(Edge.All, value))
  tell<Size>("margin", (value) => made.setMargin(Edge.All, value))
  tell<Size>("marginLeft", (value) => made.setMargin(Edge.Left, value))
  tell<number>("borderWidth", (value) => made.setBorder(Edge.All, value))
  tell<number>("gap", (value) => made.setGap(Gutter.All, value))
  tell<number>("aspectRatio", (value) => made.setAspectRatio(value))
  tell("position", () => made.setPositionType(PositionType.Absolute))
  tell<number>("left", (value) => made.setPosition(Edge.Left, value))
  tell<number>("top", (value) => made.setPosition(Edge.Top, value))
  return made
}

const setMeasure = (made: Node, { children, props }: ShadowNode): void => {
  const sample = document.createElement("div")
  sample.className = "text"
  sample.style.fontSize = `${String(props["fontSize"])}px`
  sample.textContent = String(children[0]?.props["text"])
  made.setMeasureFunc((width, mode) => {
    const size = measureText(sample, mode === 0 ? undefined : width)
    return mode === 1 ? { width, height: size.height } : size
  })
}

/**
 * Asks Yoga alone. A component that it knows it is told the changes of, as on a phone: what was computed of it before is
 * kept there too, and Yoga may come to something else than for one that is new.
 */
const askYoga = (yoga: Yoga, config: Config, component: ShadowNode, known: Map<Family, Asked>): Node => {
  const { children, family } = component
  const before = known.get(family)
  const told = styled(yoga, config, component)
  const node = before?.node ?? told
  if (before !== undefined) {
    node.copyStyle(told)
    told.free()
  }
  if (family.name === "Text") {
    if (before === undefined) setMeasure(node, component)
  } else {
    const families = new Set(children.map((child) => child.family))
    for (const { family: gone } of before?.children ?? []) {
      const taken = families.has(gone) ? undefined : known.get(gone)
      if (taken !== undefined) node.removeChild(taken.node)
    }
    for (const [index, child] of children.entries()) {
      const isThere = known.has(child.family)
      const asked = askYoga(yoga, config, child, known)
      if (!isThere) node.insertChild(asked, index)
    }
  }
  known.set(family, { node, children })
  return node
}

interface Counted {
  nodes: number
  wrong: number
  first: string
}

const compare = (node: ShadowNode, asked: Node, x: number, y: number, counted: Counted): void => {
  const { height, left, top, width } = asked.getComputedLayout()
  const place = node.family.mounted?.drawing.element.getBoundingClientRect()
  const should = { x: x + left, y: y + top, width, height }
  counted.nodes += 1
  const isWrong =
    place === undefined ||
    [place.x - should.x, place.y - should.y, place.width - width, place.height - height].some(
      (by) => Math.abs(by) > 0.5
    )
  if (isWrong) {
    counted.wrong += 1
    counted.first ||= `${JSON.stringify(node.props)}: ${JSON.stringify(place)} and not ${JSON.stringify(should)}`
  }
  if (node.family.name === "Text") return
  for (const [index, child] of node.children.entries()) {
    compare(child, asked.getChild(index), should.x, should.y, counted)
  }
}

/** Draws so many trees, and changes them; answers how many nodes there were, and how many of them not where Yoga says. */
const run = async (trees: number): Promise<{ readonly drawn: Counted; readonly changed: Counted }> => {
  const style = document.createElement("style")
  style.textContent = sheet
  document.head.append(style)
  const root = document.createElement("div")
  root.id = "root"
  document.body.replaceChildren(root)
  const yoga = await loadYoga()
  const config = yoga.Config.create()
  config.setErrata(Errata.All)
  config.setPointScaleFactor(scale())
  const calls = makeCalls(reportError)
  const notes = makeNotes()
  const surface = makeSurface({
    root,
    layout: await makeLayout(),
    events: makeEvents(calls, notes),
    notes,
    components: new Map(Object.entries(components)),
    places: (uri) => [uri]
  })
  const drawn: Counted = { nodes: 0, wrong: 0, first: "" }
  const changed: Counted = { nodes: 0, wrong: 0, first: "" }
  for (let seed = 1; seed <= trees; seed += 1) {
    const random = makeRandom(seed)
    const tree = randomNode(random, 0)
    const top = yoga.Node.create(config)
    top.setWidth(innerWidth)
    top.setHeight(innerHeight)
    const known = new Map<Family, Asked>()
    const check = (node: ShadowNode, counted: Counted): void => {
      surface.commit([node])
      const isThere = known.has(node.family)
      const asked = askYoga(yoga, config, node, known)
      if (!isThere) top.insertChild(asked, 0)
      top.calculateLayout(innerWidth, innerHeight, Direction.LTR)
      compare(node, asked, 0, 0, counted)
    }
    check(tree, drawn)
    check(changedNode(random, tree, 0), changed)
    top.freeRecursive()
  }
  return { drawn, changed }
}

Object.assign(globalThis, { compareTrees: run })
