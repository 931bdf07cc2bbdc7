/** The tree of components that React has committed, and what changes in it with a commit. */
import type { Node } from "yoga-layout/load"
import type { Fields } from "../runtime/decode.ts"
import type { Box, Drawing, Own } from "../views/Component.ts"

/** What stays of a component while its shadow nodes come and go. */
export interface Family {
  readonly tag: number
  readonly name: string
  /** What React knows it by. */
  readonly handle: unknown
}

/** A component of React's. Children are appended until it is committed; then it is immutable. */
export interface ShadowNode {
  readonly family: Family
  readonly props: Fields
  readonly children: Array<ShadowNode>
}

export const shadowNode = (family: Family, props: Fields, children: Array<ShadowNode>): ShadowNode =>
  Object.assign(Object.create(ofThePhone), { family, props, children, REANIMATED_MAGIC_KEY: true })

/**
 * The mark of every shadow node. On a phone they are native objects, which packages detect by a name that no other
 * object has, so that they don't copy them.
 */
const ofThePhone: object = Object.create(null)

/** The properties with changes: a null removes one. */
export const changed = (props: Fields, changes: Fields): Fields => {
  const next: Record<string, unknown> = { ...props }
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) delete next[name]
    else next[name] = value
  }
  return next
}

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

const drawn = new WeakMap<globalThis.Node, Mounted>()

/** What React committed last, as it is drawn. */
export interface ShadowTree {
  /** What stands in the root. */
  roots: ReadonlyArray<Mounted>
  readonly byTag: Map<number, Mounted>
  readonly byFamily: Map<Family, Mounted>
}

export const makeShadowTree = (): ShadowTree => ({ roots: [], byTag: new Map(), byFamily: new Map() })

/** What React names a component by: a shadow node of it, or the number of the root. */
export type Reference = ShadowNode | number | null | undefined

/** A component as it is drawn; `undefined` for the root, and for what isn't drawn. */
export const mountedOf = ({ byFamily }: ShadowTree, reference: Reference): Mounted | undefined =>
  typeof reference === "object" && reference !== null ? byFamily.get(reference.family) : undefined

/** Visits components and all that stands in them, from the root down. */
export const each = (all: ReadonlyArray<Mounted>, visit: (one: Mounted) => void): void => {
  for (const one of all) {
    visit(one)
    each(one.children, visit)
  }
}

/** Who draws the tree: it is called for each change of a commit. */
export interface Renderer {
  /** Makes what a node is drawn as. It joins the tree afterwards. */
  readonly create: (node: ShadowNode, parent: Mounted | undefined) => Mounted
  /** It has joined the tree, or React gave it other properties. */
  readonly propsChanged: (one: Mounted) => void
  readonly childrenChanged: (one: Mounted, before: ReadonlyArray<Mounted>) => void
  /** It leaves its parent; it and all that stands in it are removed next. */
  readonly detached: (one: Mounted) => void
  /** It leaves the tree, after what stands in it. */
  readonly removed: (one: Mounted) => void
  /** Its children aren't drawn: it stands in {@link deepest} others. */
  readonly tooDeep: (one: Mounted) => void
}

/** Makes the tree what React has committed; answers what stood in the root before. */
export const commit = (
  tree: ShadowTree,
  renderer: Renderer,
  nodes: ReadonlyArray<ShadowNode>
): ReadonlyArray<Mounted> => {
  const before = tree.roots
  tree.roots = reconcile(tree, renderer, undefined, before, nodes)
  return before
}

/** What stands in a parent now: what stayed is updated, what is new is mounted, and the rest is removed first. */
const reconcile = (
  tree: ShadowTree,
  renderer: Renderer,
  parent: Mounted | undefined,
  before: ReadonlyArray<Mounted>,
  nodes: ReadonlyArray<ShadowNode>
): ReadonlyArray<Mounted> => {
  const kept = new Set(nodes.map(({ family }) => family))
  for (const child of before) {
    if (kept.has(child.family)) continue
    renderer.detached(child)
    remove(tree, renderer, child)
  }
  return nodes.map((node) => {
    const existing = tree.byFamily.get(node.family)
    if (existing === undefined || existing.parent !== parent) return mount(tree, renderer, node, parent)
    update(tree, renderer, existing, node)
    return existing
  })
}

const mount = (tree: ShadowTree, renderer: Renderer, node: ShadowNode, parent: Mounted | undefined): Mounted => {
  const one = renderer.create(node, parent)
  tree.byFamily.set(node.family, one)
  tree.byTag.set(node.family.tag, one)
  renderer.propsChanged(one)
  if (node.children.length > 0) setChildren(tree, renderer, one, node.children)
  return one
}

const update = (tree: ShadowTree, renderer: Renderer, one: Mounted, node: ShadowNode): void => {
  const before = one.node
  if (before === node) return
  one.node = node
  if (before.props !== node.props) renderer.propsChanged(one)
  if (before.children !== node.children) setChildren(tree, renderer, one, node.children)
}

const setChildren = (tree: ShadowTree, renderer: Renderer, one: Mounted, nodes: ReadonlyArray<ShadowNode>): void => {
  if (one.depth >= deepest) {
    renderer.tooDeep(one)
    return
  }
  const before = one.children
  one.children = reconcile(tree, renderer, one, before, nodes)
  if (!areSame(before, one.children)) renderer.childrenChanged(one, before)
}

const remove = (tree: ShadowTree, renderer: Renderer, one: Mounted): void => {
  for (const child of one.children) remove(tree, renderer, child)
  renderer.removed(one)
  const { family } = one
  // Where it was moved to another parent, another one stands for its family by now.
  if (tree.byTag.get(family.tag) === one) tree.byTag.delete(family.tag)
  if (tree.byFamily.get(family) === one) tree.byFamily.delete(family)
}

/** How many components one may stand in: Yoga, and what draws, call themselves for each of them. */
export const deepest = 600

export const areSame = (one: ReadonlyArray<Mounted>, other: ReadonlyArray<Mounted>): boolean =>
  one.length === other.length && one.every((child, at) => child === other[at])
