import type { Fields } from "../runtime/decode.ts"
import { paint } from "../style/paint.ts"
import { describeElement } from "../views/accessibility.ts"
import { takeTouches } from "../views/view.ts"
import type { LayoutAnimation } from "./layoutAnimation.ts"
import type { Mounted } from "./Mounted.ts"

/** The changes of a tree that aren't in the document yet. */
export interface Painting {
  readonly root: HTMLElement
  /** Components whose children's elements may be missing, or in another order. */
  readonly unordered: Set<Mounted>
  /** Each takes an element out whose component was removed. */
  readonly leaving: Array<() => void>
  /** How the next layout is shown. */
  animation: LayoutAnimation | undefined
}

export const makePainting = (root: HTMLElement): Painting => ({
  root,
  unordered: new Set(),
  leaving: [],
  animation: undefined
})

/** The properties by which something is drawn around what is within. */
const isEdge = /^(?:border\w*Width|padding\w*)$/

/** Paints what is different in a component's properties from those before. */
export const paintProps = (one: Mounted, before: Fields): void => {
  const { drawing, family, parent, props } = one
  paint(drawing.element.style, props, before)
  takeTouches(drawing.element, props, before)
  describeElement(drawing.element, props, before, family.name === "Switch" ? "switch" : undefined)
  // On a phone its order is among its siblings alone.
  if (props["zIndex"] !== undefined && parent !== undefined) parent.drawing.element.style.isolation = "isolate"
  if (!one.hasEdges) for (const name in props) if (isEdge.test(name)) one.hasEdges = true
  one.hasNewEdges = true
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

/** Puts the elements of a component's children into the document, in their order. */
export const placeChildren = ({ root, unordered }: Painting, one: Mounted): void => {
  unordered.delete(one)
  placeElements(one.drawing.host ?? one.drawing.element, one.children, root)
}

/**
 * Removes a component's element at the next layout, after texts are measured: otherwise its parent would be laid out
 * twice.
 */
export const leaveLater = ({ animation, leaving }: Painting, { drawing }: Mounted): void => {
  const { element, node = element } = drawing
  leaving.push(() => {
    if (animation === undefined || !element.isConnected) node.remove()
    else animation.removed(element, () => node.remove())
  })
}

/** Takes out what is to leave. */
export const leave = ({ leaving }: Painting): void => {
  for (const takeOut of leaving.splice(0)) takeOut()
}
