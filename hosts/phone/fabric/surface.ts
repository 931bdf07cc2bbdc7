/** The root of an app: lays out each commit of React by Yoga, and has it painted. */
import { Direction, MeasureMode, type Node } from "yoga-layout/load"
import type { Fields } from "../runtime/decode.ts"
import { layoutSize, reading } from "../runtime/device.ts"
import type { Notes } from "../runtime/notes.ts"
import { paint } from "../style/paint.ts"
import { isShape, shape } from "../style/shape.ts"
import type { Box, Component, ComponentContext } from "../views/Component.ts"
import { unknown } from "../views/view.ts"
import {
  areSame,
  commit,
  maxDepth,
  eachMounted,
  markElement,
  type Mounted,
  mountedOf,
  type Renderer,
  type ShadowNode,
  type ShadowTree
} from "./ShadowTree.ts"
import type { Events } from "./events.ts"
import {
  type LayoutAnimation,
  removeQueued,
  queueRemoval,
  makePainting,
  paintBoxes,
  paintProps,
  placeChildren,
  placeElements,
  setSize
} from "./paint.ts"
import type { Layout } from "./yoga.ts"

/** The root of an app's tree, which draws its commits. */
export interface Surface {
  readonly tree: ShadowTree
  readonly element: HTMLElement
  /** Draws what React has committed. */
  readonly commit: (children: ReadonlyArray<ShadowNode>) => void
  /** Lays everything out again, as after a rotation of the screen. */
  readonly layOut: () => void
  /** Measures all texts again, as after a font is loaded. */
  readonly remeasure: () => void
  /** Sets properties past React. */
  readonly setProps: (mounted: Mounted, props: Fields) => void
  /** Sets where animations are. */
  readonly animate: (mounted: Mounted, props: Fields) => void
  /** Paints everything again, as after a change of the color scheme. */
  readonly repaint: () => void
  /** How the next commit is shown. */
  readonly animateNext: (animation: LayoutAnimation) => void
}

/** What a surface is made of. */
interface SurfaceOptions {
  readonly tree: ShadowTree
  readonly root: HTMLElement
  readonly yoga: Layout
  readonly events: Events
  readonly notes: Notes
  readonly components: ReadonlyMap<string, Component>
  readonly assetUrls: (uri: string) => ReadonlyArray<string>
  readonly loadLottie?: ComponentContext["loadLottie"]
}

/** Draws a tree: each change of it is laid out by Yoga, and painted by `paint.ts`. */
export const makeSurface = (parts: SurfaceOptions): Surface => {
  const { assetUrls, components, events, loadLottie, notes, root, tree, yoga } = parts
  const layout = makeTreeLayout(yoga)
  const painting = makePainting(root)
  let isDue = false

  const layOut = (): void => {
    computeLayout(layout)
    removeQueued(painting)
    for (const one of painting.unordered) placeChildren(painting, one)
    layout.top.markLayoutSeen()
    for (const one of tree.roots) paintBoxes(one, false, events, painting.animation)
    // Whose size was only asked for has no new place, and an element that is as it was measured.
    for (const one of layout.measured) if (one.isLaidOut) setSize(one)
    layout.measured.clear()
    painting.animation = undefined
  }

  const layOutLater = (): void => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      layOut()
    })
  }

  const applyProps = (one: Mounted): void => {
    const before = one.props
    one.props = { ...one.node.props, ...one.set, ...one.animated }
    paintProps(one, before)
    layOutProps(one, before)
    one.drawing.update?.(one.props, before)
    if (one.drawing.isText === true || one.drawing.measure !== undefined) markDirty(layout, one)
  }

  const changeProps = (one: Mounted): void => {
    const before = one.props
    applyProps(one)
    const names = new Set([...Object.keys(before), ...Object.keys(one.props)])
    if ([...names].some((name) => before[name] !== one.props[name] && isShape(name))) layOutLater()
  }

  const ownOf = (node: ShadowNode): ComponentContext => {
    const { family, props } = node
    const drawn = () => mountedOf(tree, node)
    return {
      tag: family.tag,
      name: family.name,
      props: () => drawn()?.props ?? props,
      emit: (name, payload) => events.emit(family, name, payload),
      resized: () => {
        const one = drawn()
        if (one === undefined) return
        applyOwnShape(one)
        markDirty(layout, one)
        if (one.isLaidOut) layOutLater()
      },
      layOutInline: () => {
        const one = drawn()
        if (one !== undefined) layOutInline(one, (around) => placeChildren(painting, around))
      },
      parent: () => drawn()?.parent?.context,
      assetUrls,
      loadLottie,
      notes
    }
  }

  const componentOf = (name: string, isInText: boolean): Component =>
    components.get(name === "Text" && isInText ? "VirtualText" : name) ?? unknown

  const renderer: Renderer = {
    create: (node, parent) => {
      const { family } = node
      const isInText = parent?.drawing.isText === true
      const context = ownOf(node)
      const drawing = componentOf(family.name, isInText)(context)
      const one: Mounted = {
        family,
        context,
        drawing,
        layout: isInText && drawing.isText === true ? undefined : yoga.newNode(),
        parent,
        depth: parent === undefined ? 0 : parent.depth + 1,
        node,
        props: noProps,
        set: noProps,
        animated: noProps,
        children: [],
        box: emptyBox,
        drawn: emptyBox,
        isLaidOut: false,
        hasEdges: false,
        hasNewEdges: false
      }
      attachMeasure(layout, one)
      // Characters take no touch: the text that they are in does.
      if (family.name !== "RawText") markElement(drawing.element, one)
      return one
    },
    propsChanged: applyProps,
    childrenChanged: (one, before) => {
      painting.unordered.add(one)
      if (one.drawing.isText === true) {
        removeQueued(painting)
        markDirty(layout, one)
        placeChildren(painting, one)
      } else if (one.layout !== undefined && one.drawing.measure === undefined) {
        placeNodes(one.layout, before, one.children)
      }
      one.drawing.childrenChanged?.(one.children.map(({ context }) => context))
    },
    detached: (one) => {
      one.layout?.getParent()?.removeChild(one.layout)
      queueRemoval(painting, one)
    },
    removed: (one) => {
      one.drawing.unmounted?.()
      freeNode(layout, one)
      painting.unordered.delete(one)
    },
    tooDeep: () => notes.line(`Components that stand in more than ${maxDepth} others aren’t drawn.`)
  }

  return {
    tree,
    element: root,
    commit: (nodes) => {
      const before = commit(tree, renderer, nodes)
      removeQueued(painting)
      if (!areSame(before, tree.roots)) {
        placeNodes(layout.top, before, tree.roots)
        placeElements(root, tree.roots, root)
      }
      layOut()
    },
    layOut: () => {
      eachMounted(tree.roots, applyOwnShape)
      layOut()
    },
    remeasure: () => {
      eachMounted(tree.roots, (one) => {
        if (one.drawing.measure !== undefined) markDirty(layout, one)
      })
      layOut()
    },
    repaint: () => {
      eachMounted(tree.roots, (one) => {
        paint(one.drawing.element.style, one.props, noProps)
        one.drawing.update?.(one.props, one.props)
      })
    },
    setProps: (one, props) => {
      one.set = { ...one.set, ...props }
      changeProps(one)
    },
    animate: (one, props) => {
      one.animated = props
      changeProps(one)
    },
    animateNext: (configured) => {
      painting.animation = configured
    }
  }
}

const emptyBox: Box = { x: 0, y: 0, width: 0, height: 0 }

const noProps: Fields = {}

/** What Yoga lays out for a tree. */
interface TreeLayout {
  readonly yoga: Layout
  /** The root, which is as large as the screen. */
  readonly top: Node
  /** Texts in which something changed since they were measured. */
  readonly dirty: Set<Mounted>
  /** What was measured in this layout. */
  readonly measured: Set<Mounted>
}

const makeTreeLayout = (yoga: Layout): TreeLayout => ({
  yoga,
  top: yoga.newNode(),
  dirty: new Set(),
  measured: new Set()
})

/** Computes where everything is. All texts are prepared before the first is measured. */
const computeLayout = ({ dirty, measured, top }: TreeLayout): void => {
  const { height, width } = layoutSize()
  top.setWidth(width)
  top.setHeight(height)
  for (const one of dirty) {
    one.drawing.prepare?.()
    measured.add(one)
  }
  dirty.clear()
  top.calculateLayout(width, height, reading.isRtl ? Direction.RTL : Direction.LTR)
}

/** Makes Yoga measure a component by its content, if it can. */
const attachMeasure = ({ measured }: TreeLayout, one: Mounted): void => {
  const { measure } = one.drawing
  if (measure === undefined) return
  one.layout?.setMeasureFunc((width, mode) => {
    measured.add(one)
    const size = measure(mode === MeasureMode.Undefined ? undefined : width)
    return mode === MeasureMode.Exactly ? { width, height: size.height } : size
  })
}

/** Passes the changed properties of a component to Yoga. */
const layOutProps = (one: Mounted, before: Fields): void => {
  if (one.layout !== undefined) shape(one.layout, one.props, before)
  applyOwnShape(one)
}

/** Passes a component's own shape to Yoga, which its style doesn't have. */
const applyOwnShape = ({ drawing, layout, props }: Mounted): void => {
  if (layout !== undefined) drawing.shape?.(layout, props)
}

/** Makes a text measured again: the changed one, or its parent text. */
const markDirty = ({ dirty }: TreeLayout, one: Mounted): void => {
  let at: Mounted | undefined = one
  while (at !== undefined && at.layout === undefined) at = at.parent
  if (at?.drawing.measure === undefined) return
  at.layout?.markDirty()
  dirty.add(at)
}

/** Gives a node of Yoga's the children that it has now. */
const placeNodes = (node: Node, old: ReadonlyArray<Mounted>, now: ReadonlyArray<Mounted>): void => {
  // Yoga forgets the layout of a removed child: on a phone children that keep their order keep it.
  const [before, after] = [new Set(old), new Set(now)]
  const stayed = old.filter((child) => after.has(child))
  const staying = now.filter((child) => before.has(child))
  let same = 0
  while (same < stayed.length && stayed[same] === staying[same]) same += 1
  for (const child of stayed.slice(same)) if (child.layout !== undefined) node.removeChild(child.layout)
  const unmoved = new Set(stayed.slice(0, same))
  for (const [at, child] of now.entries()) {
    if (child.layout !== undefined && !unmoved.has(child)) node.insertChild(child.layout, at)
  }
}

/** Lays out the views that stand within a text, each by itself; `place` puts the children of one into the document. */
const layOutInline = (one: Mounted, place: (one: Mounted) => void): void => {
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

/** Frees Yoga's node of a removed component. */
const freeNode = ({ dirty, measured }: TreeLayout, one: Mounted): void => {
  one.layout?.free()
  dirty.delete(one)
  measured.delete(one)
}
