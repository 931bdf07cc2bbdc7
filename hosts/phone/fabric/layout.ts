import { Direction, MeasureMode, type Node } from "yoga-layout/load"
import { shape } from "../layout/shape.ts"
import type { Layout } from "../layout/yoga.ts"
import type { Fields } from "../runtime/decode.ts"
import { reading, screenSize } from "../runtime/device.ts"
import type { Mounted } from "./Mounted.ts"

/** What Yoga lays out for a tree. */
export interface TreeLayout {
  readonly yoga: Layout
  /** The root, which is as large as the screen. */
  readonly top: Node
  /** Texts in which something changed since they were measured. */
  readonly dirty: Set<Mounted>
  /** What was measured in this layout. */
  readonly measured: Set<Mounted>
}

export const makeTreeLayout = (yoga: Layout): TreeLayout => ({
  yoga,
  top: yoga.newNode(),
  dirty: new Set(),
  measured: new Set()
})

/** Makes Yoga measure a component by its content, if it can. */
export const answerMeasures = ({ measured }: TreeLayout, one: Mounted): void => {
  const { measure } = one.drawing
  if (measure === undefined) return
  one.layout?.setMeasureFunc((width, mode) => {
    measured.add(one)
    const size = measure(mode === MeasureMode.Undefined ? undefined : width)
    return mode === MeasureMode.Exactly ? { width, height: size.height } : size
  })
}

/** Passes a component's own shape to Yoga, which its style doesn't have. */
export const shapeItself = ({ drawing, layout, props }: Mounted): void => {
  if (layout !== undefined) drawing.shape?.(layout, props)
}

/** Passes the changed properties of a component to Yoga. */
export const layOutProps = (one: Mounted, before: Fields): void => {
  if (one.layout !== undefined) shape(one.layout, one.props, before)
  shapeItself(one)
}

/** Makes a text measured again: the changed one, or its parent text. */
export const markDirty = ({ dirty }: TreeLayout, one: Mounted): void => {
  let at: Mounted | undefined = one
  while (at !== undefined && at.layout === undefined) at = at.parent
  if (at?.drawing.measure === undefined) return
  at.layout?.markDirty()
  dirty.add(at)
}

/** Gives a node of Yoga's the children that it has now. */
export const placeNodes = (node: Node, old: ReadonlyArray<Mounted>, now: ReadonlyArray<Mounted>): void => {
  // Yoga forgets the layout of a removed child: on a phone children that keep their order keep it.
  const [before, after] = [new Set(old), new Set(now)]
  const stayed = old.filter((child) => after.has(child))
  const staying = now.filter((child) => before.has(child))
  let same = 0
  while (same < stayed.length && stayed[same] === staying[same]) same += 1
  for (const child of stayed.slice(same)) if (child.layout !== undefined) node.removeChild(child.layout)
  const kept = new Set(stayed.slice(0, same))
  for (const [at, child] of now.entries()) {
    if (child.layout !== undefined && !kept.has(child)) node.insertChild(child.layout, at)
  }
}

/** Lays out the views that stand within a text, each by itself; `place` puts the children of one into the document. */
export const layOutInline = (one: Mounted, place: (one: Mounted) => void): void => {
  for (const child of one.children) {
    if (child.layout === undefined) layOutInline(child, place)
    else {
      child.layout.calculateLayout(undefined, undefined, Direction.LTR)
      const { height, width } = child.layout.getComputedLayout()
      const { element } = child.drawing
      element.style.width = `${width}px`
      element.style.height = `${height}px`
      if (element.parentElement === null) place(one)
    }
  }
}

/** Computes where everything is. All texts are prepared before the first is measured. */
export const compute = ({ dirty, measured, top }: TreeLayout): void => {
  const { height, width } = screenSize()
  top.setWidth(width)
  top.setHeight(height)
  for (const one of dirty) {
    one.drawing.prepare?.()
    measured.add(one)
  }
  dirty.clear()
  top.calculateLayout(width, height, reading.isRtl ? Direction.RTL : Direction.LTR)
}

/** Frees Yoga's node of a removed component. */
export const forget = ({ dirty, measured }: TreeLayout, one: Mounted): void => {
  one.layout?.free()
  dirty.delete(one)
  measured.delete(one)
}
