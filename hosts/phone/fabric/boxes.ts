import { Edge, type Node } from "yoga-layout/load"
import type { Box } from "../views/Component.ts"
import type { Events } from "./events.ts"
import type { LayoutAnimation } from "./layoutAnimation.ts"
import type { Mounted } from "./Mounted.ts"

const sameBox = (one: Box, other: Box): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

const sides = [
  ["Top", Edge.Top],
  ["Right", Edge.Right],
  ["Bottom", Edge.Bottom],
  ["Left", Edge.Left]
] as const

/** Makes an element as large as its box. */
export const setSize = ({ box, drawing }: Mounted): void => {
  if (drawing.isPlaced === true) return
  const { style } = drawing.element
  style.width = `${box.width}px`
  style.height = `${box.height}px`
  if (drawing.isText === true) style.boxSizing = ""
}

/** Draws borders, and the padding of what is measured. */
const drawEdges = ({ drawing }: Mounted, node: Node): void => {
  const { style } = drawing.element
  for (const [side, edge] of sides) {
    const border = node.getComputedBorder(edge)
    Reflect.set(style, `border${side}Width`, border === 0 ? "" : `${border}px`)
    if (drawing.measure === undefined) continue
    const padding = node.getComputedPadding(edge)
    Reflect.set(style, `padding${side}`, padding === 0 ? "" : `${padding}px`)
  }
}

/** Positions the element. Yoga reports all rows of a list when one is added; most didn't move. */
const place = (one: Mounted, node: Node, now: Box, inText: boolean): void => {
  const { drawing } = one
  const { style } = drawing.element
  const isThere = one.isLaidOut && sameBox(one.drawn, now)
  if (!isThere) {
    one.drawn = now
    if (!inText && drawing.isPlaced !== true) {
      style.left = `${now.x}px`
      style.top = `${now.y}px`
    }
    setSize(one)
  }
  // Padding may be a part of the width of what is around.
  if (one.hasEdges && (!isThere || one.hasNewEdges || drawing.measure !== undefined)) drawEdges(one, node)
  one.hasNewEdges = false
}

const paintBox = (
  one: Mounted,
  node: Node,
  inText: boolean,
  events: Events,
  animation: LayoutAnimation | undefined
): void => {
  const { height, left, top, width } = node.getComputedLayout()
  const { drawing, parent } = one
  const before = one.box
  const isHidden = one.props["display"] === "none"
  const wasHidden = drawing.element.classList.contains("gone")
  one.box = { x: left, y: top, width, height }
  const offset = parent?.hasEdges === true ? parent.layout : undefined
  const [x, y] =
    offset === undefined || drawing.isOverlay === true
      ? [left, top]
      : [left - offset.getComputedBorder(Edge.Left), top - offset.getComputedBorder(Edge.Top)]
  // A hidden component keeps its element, so that its texts can be measured and its scroll position isn't lost.
  if (isHidden !== wasHidden) drawing.element.classList.toggle("gone", isHidden)
  place(one, node, { x, y, width, height }, inText)
  const isMoved = !sameBox(before, one.box)
  if (animation !== undefined && drawing.isOverlay !== true) {
    if (one.isLaidOut && isMoved)
      animation.moved(
        drawing.element,
        { ...before, x: before.x - left + x, y: before.y - top + y },
        { ...one.box, x, y }
      )
    else if (!one.isLaidOut) animation.created(drawing.element)
  }
  if (one.props["onLayout"] === true && (isMoved || !one.isLaidOut)) {
    events.emit(one.family, "topLayout", { layout: { ...one.box }, target: one.family.tag })
  }
  one.isLaidOut = true
  drawing.laidOut?.(one.box)
}

/** Applies the changes of a layout to the document, from a component down. */
export const paintBoxes = (
  one: Mounted,
  inText: boolean,
  events: Events,
  animation: LayoutAnimation | undefined
): void => {
  const { layout: node } = one
  if (node === undefined) {
    for (const child of one.children) paintBoxes(child, true, events, animation)
    return
  }
  if (!node.hasNewLayout()) return
  node.markLayoutSeen()
  paintBox(one, node, inText, events, animation)
  for (const child of one.children) paintBoxes(child, one.drawing.isText === true, events, animation)
}
