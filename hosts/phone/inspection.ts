/** What the phone hands over to who inspects its app, and only when asked. */
import { Edge } from "yoga-layout/load"
import { type Mounted, mountedAt, mountedOf, type ShadowNode, type ShadowTree } from "./fabric/ShadowTree.ts"
import { functionIn } from "./runtime/decode.ts"
import { stores } from "./runtime/storage.ts"
import type { Box } from "./views/Component.ts"

/** Top, right, bottom and left, in points. */
export type Edges = readonly [top: number, right: number, bottom: number, left: number]

/** A component as the layout has it; `layout` is absent for text within text. */
interface InspectedComponent {
  readonly name: string
  /** What React knows it by: its fiber. */
  readonly handle: unknown
  readonly layout:
    | { readonly box: Box; readonly margin: Edges; readonly border: Edges; readonly padding: Edges }
    | undefined
}

export interface Inspection {
  /** What React knows the outermost components by. */
  readonly roots: () => ReadonlyArray<unknown>
  /** The element of a shadow node, which React keeps. */
  readonly elementOf: (node: unknown) => Element | undefined
  /** The component that an element, or what it stands in, is drawn for. */
  readonly componentAt: (element: Element) => InspectedComponent | undefined
  /** What libraries store, by their names. */
  readonly stores: () => ReadonlyArray<
    readonly [name: string, entries: Iterable<readonly [key: string, value: unknown]>]
  >
}

/** The event by which a script in the phone's document asks for it: the detail is a function that receives it. */
export const inspectEvent = "phone-inspect"

const edges = [Edge.Top, Edge.Right, Edge.Bottom, Edge.Left] as const

const layoutOf = ({ box, layout }: Mounted): InspectedComponent["layout"] => {
  if (layout === undefined) return undefined
  const all = (of: (edge: Edge) => number): Edges => {
    const [top, right, bottom, left] = edges.map(of)
    return [top ?? 0, right ?? 0, bottom ?? 0, left ?? 0]
  }
  return {
    box,
    margin: all((edge) => layout.getComputedMargin(edge)),
    border: all((edge) => layout.getComputedBorder(edge)),
    padding: all((edge) => layout.getComputedPadding(edge))
  }
}

/** Answers {@link inspectEvent} in the document. */
export const listenToInspectors = (tree: ShadowTree): void => {
  const isNode = (value: unknown): value is ShadowNode =>
    typeof value === "object" && value !== null && "family" in value
  const inspection: Inspection = {
    roots: () => tree.roots.map(({ family }) => family.handle),
    elementOf: (node) => (isNode(node) ? mountedOf(tree, node)?.drawing.element : undefined),
    componentAt: (element) => {
      const found = mountedAt(element)
      return found && { name: found.family.name, handle: found.family.handle, layout: layoutOf(found) }
    },
    stores: () => [...stores].map(([name, entries]) => [name, entries()] as const)
  }
  document.addEventListener(inspectEvent, (event) => {
    if (event instanceof CustomEvent) functionIn(event.detail)?.(inspection)
  })
}
