import type { Node } from "yoga-layout/load"
import type { Fields } from "../runtime/decode.ts"
import type { Box, Drawing, Own } from "../views/Component.ts"
import type { Family, ShadowNode } from "./ShadowNode.ts"

/** A component that is drawn. */
export interface Mounted {
  readonly family: Family
  readonly own: Own
  readonly drawing: Drawing
  /** Its place in the layout; text within text has none. */
  readonly layout: Node | undefined
  parent: Mounted | undefined
  /** Its depth in the tree. */
  readonly depth: number
  /** What was last committed of it. */
  node: ShadowNode
  /** Its properties as they are drawn: as committed, with what was set past React and what is animated. */
  props: Fields
  /** Set by the app past React. */
  set: Fields
  /** Where animations are right now. */
  animated: Fields
  children: ReadonlyArray<Mounted>
  box: Box
  /** Where its element is in the document and how large: within the border of what it stands in. */
  drawn: Box
  /** Whether it has been laid out before. */
  isLaidOut: boolean
  /** Whether it ever had a border or a padding. */
  hasEdges: boolean
  /** Whether they may be others than those that are drawn. */
  hasNewEdges: boolean
}

const drawn = new WeakMap<globalThis.Node, Mounted>()

/** Says what an element is drawn for. */
export const markElement = (element: Element, mounted: Mounted): void => {
  drawn.set(element, mounted)
}

/** What an element of the page, or what it stands in, is drawn for. */
export const mountedAt = (element: globalThis.Node | null): Mounted | undefined => {
  for (let at = element; at !== null; at = at.parentNode) {
    const found = drawn.get(at)
    if (found !== undefined) return found
  }
  return undefined
}
