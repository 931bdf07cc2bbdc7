import {
  Align,
  BoxSizing,
  Direction,
  Display,
  Edge,
  FlexDirection,
  Gutter,
  Justify,
  type Node,
  Overflow,
  PositionType,
  Wrap
} from "yoga-layout/load"
import { type Fields, numberIn, textIn } from "../runtime/decode.ts"

/** Passes one property of a style to Yoga; an invalid value is ignored. */
type Setter = (node: Node, value: unknown) => void

type Percent = `${number}%`

const isPercent = (value: unknown): value is Percent => typeof value === "string" && /^[+-]?[\d.]+%$/.test(value)

const lengthIn = (value: unknown): number | Percent | undefined => {
  if (isPercent(value)) return value
  const text = textIn(value)
  if (text !== undefined) return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:px)?$/.test(text) ? Number.parseFloat(text) : undefined
  return numberIn(value)
}

const sizeIn = (value: unknown): number | Percent | "auto" | undefined => (value === "auto" ? "auto" : lengthIn(value))

/** One of the names of a property, else what is meant without. */
const named =
  <A>(names: Readonly<Record<string, A>>, otherwise: A, set: (node: Node, value: A) => void): Setter =>
  (node, value) =>
    set(node, (typeof value === "string" ? names[value] : undefined) ?? otherwise)

const directions = {
  column: FlexDirection.Column,
  "column-reverse": FlexDirection.ColumnReverse,
  row: FlexDirection.Row,
  "row-reverse": FlexDirection.RowReverse
}

const justifications = {
  "flex-start": Justify.FlexStart,
  center: Justify.Center,
  "flex-end": Justify.FlexEnd,
  "space-between": Justify.SpaceBetween,
  "space-around": Justify.SpaceAround,
  "space-evenly": Justify.SpaceEvenly
}

const alignments = {
  auto: Align.Auto,
  "flex-start": Align.FlexStart,
  center: Align.Center,
  "flex-end": Align.FlexEnd,
  stretch: Align.Stretch,
  baseline: Align.Baseline,
  "space-between": Align.SpaceBetween,
  "space-around": Align.SpaceAround,
  "space-evenly": Align.SpaceEvenly
}

const ratioIn = (value: unknown): number | undefined => {
  const text = textIn(value)
  if (text === undefined) return numberIn(value)
  const [width, height = 1] = text.split("/").map(Number)
  return numberIn(width === undefined ? undefined : width / height)
}

const setters = new Map<string, Setter>(
  Object.entries({
    width: (node, value) => node.setWidth(sizeIn(value) ?? "auto"),
    height: (node, value) => node.setHeight(sizeIn(value) ?? "auto"),
    minWidth: (node, value) => node.setMinWidth(lengthIn(value)),
    minHeight: (node, value) => node.setMinHeight(lengthIn(value)),
    maxWidth: (node, value) => node.setMaxWidth(lengthIn(value)),
    maxHeight: (node, value) => node.setMaxHeight(lengthIn(value)),
    flex: (node, value) => node.setFlex(numberIn(value)),
    flexGrow: (node, value) => node.setFlexGrow(numberIn(value)),
    flexShrink: (node, value) => node.setFlexShrink(numberIn(value)),
    flexBasis: (node, value) => node.setFlexBasis(sizeIn(value) ?? "auto"),
    aspectRatio: (node, value) => node.setAspectRatio(ratioIn(value)),
    flexDirection: named(directions, FlexDirection.Column, (node, value) => node.setFlexDirection(value)),
    justifyContent: named(justifications, Justify.FlexStart, (node, value) => node.setJustifyContent(value)),
    alignItems: named(alignments, Align.Stretch, (node, value) => node.setAlignItems(value)),
    alignSelf: named(alignments, Align.Auto, (node, value) => node.setAlignSelf(value)),
    alignContent: named(alignments, Align.FlexStart, (node, value) => node.setAlignContent(value)),
    flexWrap: named({ wrap: Wrap.Wrap, "wrap-reverse": Wrap.WrapReverse }, Wrap.NoWrap, (node, value) =>
      node.setFlexWrap(value)
    ),
    display: named({ none: Display.None, contents: Display.Contents }, Display.Flex, (node, value) =>
      node.setDisplay(value)
    ),
    overflow: named({ hidden: Overflow.Hidden, scroll: Overflow.Scroll }, Overflow.Visible, (node, value) =>
      node.setOverflow(value)
    ),
    position: named(
      { static: PositionType.Static, absolute: PositionType.Absolute },
      PositionType.Relative,
      (node, value) => node.setPositionType(value)
    ),
    boxSizing: named({ "content-box": BoxSizing.ContentBox }, BoxSizing.BorderBox, (node, value) =>
      node.setBoxSizing(value)
    ),
    direction: named({ ltr: Direction.LTR, rtl: Direction.RTL }, Direction.Inherit, (node, value) =>
      node.setDirection(value)
    ),
    gap: (node, value) => node.setGap(Gutter.All, lengthIn(value)),
    rowGap: (node, value) => node.setGap(Gutter.Row, lengthIn(value)),
    columnGap: (node, value) => node.setGap(Gutter.Column, lengthIn(value))
  } satisfies Record<string, Setter>)
)

const edges: Readonly<Record<string, Edge>> = {
  "": Edge.All,
  Horizontal: Edge.Horizontal,
  Vertical: Edge.Vertical,
  Top: Edge.Top,
  Right: Edge.Right,
  Bottom: Edge.Bottom,
  Left: Edge.Left,
  Start: Edge.Start,
  End: Edge.End
}

/** The names of CSS, which stand before the others of the same edge. */
const logicalEdges: Readonly<Record<string, readonly [edge: Edge, otherwise: string]>> = {
  Block: [Edge.Vertical, "Vertical"],
  BlockStart: [Edge.Top, "Top"],
  BlockEnd: [Edge.Bottom, "Bottom"],
  Inline: [Edge.Horizontal, "Horizontal"],
  InlineStart: [Edge.Start, "Start"],
  InlineEnd: [Edge.End, "End"]
}

for (const [name, edge] of [
  ...Object.entries(edges),
  ...Object.entries(logicalEdges).map(([name, [edge]]) => [name, edge] as const)
]) {
  setters.set(`margin${name}`, (node, value) => node.setMargin(edge, sizeIn(value)))
  setters.set(`padding${name}`, (node, value) => node.setPadding(edge, lengthIn(value)))
  setters.set(`border${name}Width`, (node, value) => node.setBorder(edge, numberIn(value)))
}

const positions: Readonly<Record<string, Edge>> = {
  inset: Edge.All,
  insetBlock: Edge.Vertical,
  insetInline: Edge.Horizontal,
  top: Edge.Top,
  right: Edge.Right,
  bottom: Edge.Bottom,
  left: Edge.Left,
  start: Edge.Start,
  end: Edge.End,
  insetBlockStart: Edge.Top,
  insetBlockEnd: Edge.Bottom,
  insetInlineStart: Edge.Start,
  insetInlineEnd: Edge.End
}
for (const [name, edge] of Object.entries(positions)) {
  setters.set(name, (node, value) => node.setPosition(edge, lengthIn(value)))
}

/** Of two names of one edge, the one that stands before the other. */
const before = new Map<string, string>(
  Object.entries(logicalEdges).flatMap(([name, [, otherwise]]) => [
    [`margin${otherwise}`, `margin${name}`] as const,
    [`padding${otherwise}`, `padding${name}`] as const,
    [`border${otherwise}Width`, `border${name}Width`] as const
  ])
)
const after = new Map(Array.from(before, ([other, name]) => [name, other]))

/** Whether a property affects the layout. */
export const isShape = (name: string): boolean => setters.has(name)

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Passes the changed properties to Yoga. */
export const shape = (node: Node, props: Fields, old: Fields): void => {
  const look = (name: string): void => {
    const setter = props[name] === old[name] ? undefined : setters.get(name)
    if (setter === undefined) return
    const stronger = before.get(name)
    if (stronger !== undefined && isGiven(props[stronger])) return
    // Where the stronger name is no longer given, the other one counts again.
    const weaker = after.get(name)
    setter(node, isGiven(props[name]) || weaker === undefined ? props[name] : props[weaker])
  }
  for (const name in props) look(name)
  for (const name in old) if (!(name in props)) look(name)
}
