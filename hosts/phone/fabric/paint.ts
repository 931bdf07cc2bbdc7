/** Paints the changes of a tree into the document, at the positions of the layout. */
import { Edge, type Node } from "yoga-layout/load"
import { type Fields, fieldsIn, numberIn, textIn } from "../runtime/decode.ts"
import { isAndroid } from "../runtime/device.ts"
import { paint } from "../style/paint.ts"
import type { Box } from "../views/Component.ts"
import { describeElement, takeTouches } from "../views/view.ts"
import type { Mounted } from "./ShadowTree.ts"
import type { Events } from "./events.ts"

/** The changes of a tree that aren't in the document yet. */
interface Painting {
  readonly root: HTMLElement
  /** Components whose children's elements may be missing, or in another order. */
  readonly unordered: Set<Mounted>
  /** Each takes an element out whose component was removed. */
  readonly queuedRemovals: Array<() => void>
  /** How the next layout is shown. */
  animation: LayoutAnimation | undefined
}

export const makePainting = (root: HTMLElement): Painting => ({
  root,
  unordered: new Set(),
  queuedRemovals: [],
  animation: undefined
})

/** Paints what is different in a component's properties from those before. */
export const paintProps = (one: Mounted, before: Fields): void => {
  const { drawing, family, parent, props } = one
  paint(drawing.element.style, props, before)
  takeTouches(drawing.element, props, before)
  describeElement(drawing.element, props, before, family.name === "Switch" ? "switch" : undefined)
  // On a phone its order is among its siblings alone.
  const isLayered = props["zIndex"] !== undefined || (isAndroid() && props["elevation"] !== undefined)
  if (isLayered && parent !== undefined) parent.drawing.element.style.isolation = "isolate"
  if (!one.hasEdges) for (const name in props) if (isEdge.test(name)) one.hasEdges = true
  one.hasNewEdges = true
}

/** The properties by which something is drawn around what is within. */
const isEdge = /^(?:border\w*Width|padding\w*)$/

/** Puts the elements of a component's children into the document, in their order. */
export const placeChildren = ({ root, unordered }: Painting, one: Mounted): void => {
  unordered.delete(one)
  placeElements(one.drawing.host ?? one.drawing.element, one.children, root)
}

/** Puts the elements of components into a place of the document, in their order; what lies over all into the root. */
export const placeElements = (host: Element, now: ReadonlyArray<Mounted>, root: HTMLElement): void => {
  let at: ChildNode | null = null
  for (let n = now.length - 1; n >= 0; n -= 1) {
    const child = now[n]
    if (child === undefined) continue
    const { element, node = element } = child.drawing
    if (child.drawing.isOverlay === true) {
      if (element.parentElement !== root) root.append(element)
      continue
    }
    // Only misplaced elements are moved: a moved element loses its scroll position and the focus.
    if (node.parentNode !== host || node.nextSibling !== at) host.insertBefore(node, at)
    at = node
  }
}

/**
 * Removes a component's element at the next layout, after texts are measured: otherwise its parent would be laid out
 * twice.
 */
export const queueRemoval = ({ animation, queuedRemovals }: Painting, { drawing }: Mounted): void => {
  const { element, node = element } = drawing
  queuedRemovals.push(() => {
    if (animation === undefined || !element.isConnected) node.remove()
    else animation.removed(element, () => node.remove())
  })
}

/** Takes out what is to leave. */
export const removeQueued = ({ queuedRemovals }: Painting): void => {
  for (const takeOut of queuedRemovals.splice(0)) takeOut()
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

/** A length that the page shows: it has fewer pixels than a phone, and draws none of a line that is thinner than one. */
const atLeastOnePixel = (length: number): number =>
  length > 0 && length < 1 ? Math.max(length, 1 / window.devicePixelRatio) : length

/** Makes an element as large as its box. */
export const setSize = ({ box, drawing }: Mounted): void => {
  if (drawing.isPlaced === true) return
  const { style } = drawing.element
  style.width = `${atLeastOnePixel(box.width)}px`
  style.height = `${atLeastOnePixel(box.height)}px`
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

const sides = [
  ["Top", Edge.Top],
  ["Right", Edge.Right],
  ["Bottom", Edge.Bottom],
  ["Left", Edge.Left]
] as const

const sameBox = (one: Box, other: Box): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height

/** How the next change of the layout is shown. */
export interface LayoutAnimation {
  readonly created: (element: Element) => void
  readonly moved: (element: Element, from: Box, to: Box) => void
  /** Animates the exit of a deleted element, then removes it. */
  readonly removed: (element: Element, remove: () => void) => void
}

/** An animation as the app configured it. */
export const layoutAnimation = (config: Fields): LayoutAnimation & { readonly duration: number } => {
  const duration = numberIn(config["duration"]) ?? 0
  const part = (name: string) => {
    const one = fieldsIn(config[name])
    return config[name] === undefined
      ? undefined
      : {
          property: textIn(one["property"]),
          timing: {
            duration: numberIn(one["duration"]) ?? duration,
            delay: numberIn(one["delay"]) ?? 0,
            easing: easings[textIn(one["type"]) ?? "linear"] ?? "ease",
            fill: "backwards" as const
          }
        }
  }
  const [create, update, remove] = [part("create"), part("update"), part("delete")]
  return {
    duration,
    created: (element) => {
      if (create !== undefined) element.animate([hiddenKeyframe(create.property), {}], create.timing)
    },
    moved: (element, from, to) => {
      if (update !== undefined) element.animate([boxKeyframe(from), boxKeyframe(to)], update.timing)
    },
    removed: (element, done) => {
      if (remove === undefined) done()
      else element.animate([{}, hiddenKeyframe(remove.property)], remove.timing).addEventListener("finish", done)
    }
  }
}

const easings: Readonly<Record<string, string>> = {
  linear: "linear",
  easeIn: "ease-in",
  easeOut: "ease-out",
  easeInEaseOut: "ease-in-out",
  keyboard: "cubic-bezier(.17,.59,.4,.77)",
  // As a spring that swings once beyond where it comes to rest.
  spring: "cubic-bezier(.34,1.36,.64,1)"
}

const hiddenKeyframe = (property: unknown): Keyframe => {
  switch (property) {
    case "scaleX":
      return { transform: "scaleX(0)" }
    case "scaleY":
      return { transform: "scaleY(0)" }
    case "scaleXY":
      return { transform: "scale(0)" }
    default:
      return { opacity: 0 }
  }
}

const boxKeyframe = ({ height, width, x, y }: Box): Keyframe => ({
  left: `${x}px`,
  top: `${y}px`,
  width: `${width}px`,
  height: `${height}px`
})
