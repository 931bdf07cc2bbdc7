import { Direction, MeasureMode, type Node } from "yoga-layout/load"
import type { Layout } from "../layout/yoga.ts"
import { isShape, shape } from "../layout/shape.ts"
import type { Fields } from "../runtime/decode.ts"
import { reading, screenSize } from "../runtime/device.ts"
import type { Notes } from "../runtime/notes.ts"
import { paint } from "../style/paint.ts"
import { describeElement } from "../views/accessibility.ts"
import type { Box, Component, Drawing, Own } from "../views/Component.ts"
import { takeTouches, unknown } from "../views/view.ts"
import { makeBoxes, setSize } from "./boxes.ts"
import type { Events } from "./events.ts"
import type { LayoutAnimation } from "./layoutAnimation.ts"
import { markElement, type Mounted } from "./Mounted.ts"
import { placeElements, placeNodes } from "./order.ts"
import type { Family, ShadowNode } from "./ShadowNode.ts"

/** The root of what an app draws, and how its commits come to be seen. */
export interface Surface {
  /** Draws what React has committed. */
  readonly commit: (children: ReadonlyArray<ShadowNode>) => void
  /** Lays everything out anew, as where the screen was turned. */
  readonly layOut: () => void
  /** Measures all texts anew, as where a font has come. */
  readonly remeasure: () => void
  /** Sets properties past React. */
  readonly setProps: (mounted: Mounted, props: Fields) => void
  /** Sets where animations are. */
  readonly animate: (mounted: Mounted, props: Fields) => void
  /** Paints everything anew, as where colours depend on the time of the day. */
  readonly repaint: () => void
  /** How the next commit is shown. */
  readonly animateNext: (animation: LayoutAnimation) => void
  readonly find: (tag: number) => Mounted | undefined
  /** How many components are drawn. */
  readonly size: () => number
  readonly element: HTMLElement
  readonly children: () => ReadonlyArray<Mounted>
}

/** What a surface is made of. */
export interface Parts {
  readonly root: HTMLElement
  readonly layout: Layout
  readonly events: Events
  readonly notes: Notes
  readonly components: ReadonlyMap<string, Component>
  readonly places: (uri: string) => ReadonlyArray<string>
}

/** How many components one may stand in: Yoga, and what draws, call themselves for each of them. */
const deepest = 600

/** The properties by which something is drawn around what is within. */
const isEdge = /^(?:border\w*Width|padding\w*)$/

const nowhere: Box = { x: 0, y: 0, width: 0, height: 0 }
const nothing: Fields = {}

export const makeSurface = ({ components, events, layout, notes, places, root }: Parts): Surface => {
  const mounted = new Map<number, Mounted>()
  const top = layout.newNode()
  const drawBoxes = makeBoxes(events)
  let children: ReadonlyArray<Mounted> = []
  let animation: LayoutAnimation | undefined
  const unordered = new Set<Mounted>()
  const leaving: Array<() => void> = []
  const soiled = new Set<Mounted>()
  const measured = new Set<Family>()
  let isDue = false

  const layOutLater = (): void => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      layOut()
    })
  }

  const paragraph = (one: Mounted | undefined): Mounted | undefined => {
    let at = one
    while (at !== undefined && at.layout === undefined) at = at.parent
    return at
  }

  /** Has the text measured anew in which something changed. */
  const soil = (one: Mounted | undefined): void => {
    const found = paragraph(one)
    if (found?.drawing.measure === undefined) return
    found.layout?.markDirty()
    soiled.add(found)
  }

  const prepare = (): void => {
    for (const { drawing, family } of soiled) {
      drawing.prepare?.()
      measured.add(family)
    }
    soiled.clear()
  }

  const applyProps = (one: Mounted): void => {
    const before = one.props
    const next = { ...one.node.props, ...one.set, ...one.animated }
    one.props = next
    const { drawing } = one
    paint(drawing.element.style, next, before)
    takeTouches(drawing.element, next, before)
    const role = one.family.name === "Switch" ? "switch" : undefined
    describeElement(drawing.element, next, before, role)
    // On a phone its order is among its siblings alone.
    if (next["zIndex"] !== undefined && one.parent !== undefined) one.parent.drawing.element.style.isolation = "isolate"
    if (!one.hasEdges) for (const name in next) if (isEdge.test(name)) one.hasEdges = true
    one.hasNewEdges = true
    if (one.layout !== undefined) {
      shape(one.layout, next, before)
      drawing.shape?.(one.layout, next)
    }
    drawing.update?.(next, before)
    if (drawing.isText === true || drawing.measure !== undefined) soil(one)
  }

  const layOutInline = (one: Mounted): void => {
    for (const child of one.children) {
      if (child.layout === undefined) layOutInline(child)
      else {
        child.layout.calculateLayout(undefined, undefined, Direction.LTR)
        const { height, width } = child.layout.getComputedLayout()
        const { element } = child.drawing
        element.style.width = `${width}px`
        element.style.height = `${height}px`
        if (element.parentElement === null) order(one)
      }
    }
  }

  const ownOf = ({ family, props }: ShadowNode): Own => ({
    tag: family.tag,
    name: family.name,
    props: () => family.mounted?.props ?? props,
    emit: (name, payload) => events.emit(family, name, payload),
    resized: () => {
      const one = family.mounted
      if (one === undefined) return
      if (one.layout !== undefined) one.drawing.shape?.(one.layout, one.props)
      soil(one)
      if (one.isLaidOut) layOutLater()
    },
    layOutInline: () => {
      if (family.mounted !== undefined) layOutInline(family.mounted)
    },
    parent: () => family.mounted?.parent?.own,
    places,
    notes
  })

  const nodeFor = (family: Family, drawing: Drawing, inText: boolean): Node | undefined => {
    if (inText && drawing.isText === true) return undefined
    const node = layout.newNode()
    const { measure } = drawing
    if (measure !== undefined) {
      node.setMeasureFunc((width, mode) => {
        measured.add(family)
        const size = measure(mode === MeasureMode.Undefined ? undefined : width)
        return mode === MeasureMode.Exactly ? { width, height: size.height } : size
      })
    }
    return node
  }

  const componentOf = (name: string, parent: Mounted | undefined): Component => {
    const isSpan = name === "Text" && parent?.drawing.isText === true
    return components.get(isSpan ? "VirtualText" : name) ?? unknown
  }

  const mount = (node: ShadowNode, parent: Mounted | undefined): Mounted => {
    const { family } = node
    const own = ownOf(node)
    const drawing = componentOf(family.name, parent)(own)
    const one: Mounted = {
      family,
      own,
      drawing,
      layout: nodeFor(family, drawing, parent?.drawing.isText === true),
      parent,
      depth: parent === undefined ? 0 : parent.depth + 1,
      node,
      props: nothing,
      set: nothing,
      animated: nothing,
      children: [],
      box: nowhere,
      drawn: nowhere,
      isLaidOut: false,
      hasEdges: false,
      hasNewEdges: false
    }
    family.mounted = one
    mounted.set(family.tag, one)
    // Characters take no touch: the text that they are in does.
    if (family.name !== "RawText") markElement(drawing.element, one)
    applyProps(one)
    if (node.children.length > 0) setChildren(one, node.children)
    return one
  }

  const forget = (one: Mounted): void => {
    for (const child of one.children) forget(child)
    one.drawing.unmounted?.()
    one.layout?.free()
    unordered.delete(one)
    soiled.delete(one)
    if (mounted.get(one.family.tag) === one) mounted.delete(one.family.tag)
    if (one.family.mounted === one) delete one.family.mounted
  }

  const unmount = (one: Mounted): void => {
    const { element, node = element } = one.drawing
    one.layout?.getParent()?.removeChild(one.layout)
    forget(one)
    const how = animation
    // Texts are measured before it goes: what it stood in would be laid out for them, and again with what comes instead.
    leaving.push(() => {
      if (how === undefined || !element.isConnected) node.remove()
      else how.removed(element, () => node.remove())
    })
  }

  const leave = (): void => {
    for (const go of leaving.splice(0)) go()
  }

  const update = (one: Mounted, node: ShadowNode): void => {
    const before = one.node
    if (before === node) return
    one.node = node
    if (before.props !== node.props) applyProps(one)
    if (before.children !== node.children) setChildren(one, node.children)
  }

  const next = (one: Mounted | undefined, nodes: ReadonlyArray<ShadowNode>, old: ReadonlyArray<Mounted>) => {
    const kept = new Set(nodes.map(({ family }) => family))
    for (const child of old) if (!kept.has(child.family)) unmount(child)
    return nodes.map((node) => {
      const existing = node.family.mounted
      if (existing === undefined || existing.parent !== one) return mount(node, one)
      update(existing, node)
      return existing
    })
  }

  const isSame = (one: ReadonlyArray<Mounted>, other: ReadonlyArray<Mounted>): boolean =>
    one.length === other.length && one.every((child, at) => child === other[at])

  const setChildren = (one: Mounted, nodes: ReadonlyArray<ShadowNode>): void => {
    if (one.depth >= deepest) {
      notes.line(`Components that stand in more than ${deepest} others aren’t drawn.`)
      return
    }
    const old = one.children
    const now = next(one, nodes, old)
    one.children = now
    if (isSame(old, now)) return
    unordered.add(one)
    if (one.drawing.isText === true) {
      leave()
      soil(one)
      order(one)
    } else if (one.layout !== undefined && one.drawing.measure === undefined) placeNodes(one.layout, old, now)
    one.drawing.childrenChanged?.(now.map(({ own }) => own))
  }

  /** Puts the elements of the children into the document, in their order. */
  const order = (one: Mounted): void => {
    unordered.delete(one)
    placeElements(one.drawing.host ?? one.drawing.element, one.children, root)
  }

  const layOut = (): void => {
    const { height, width } = screenSize()
    top.setWidth(width)
    top.setHeight(height)
    prepare()
    top.calculateLayout(width, height, reading.isRtl ? Direction.RTL : Direction.LTR)
    leave()
    for (const one of unordered) order(one)
    top.markLayoutSeen()
    for (const child of children) drawBoxes(child, false, animation)
    // Whose size was only asked for has no new place, and an element that is as it was measured.
    for (const { mounted } of measured) if (mounted?.isLaidOut === true) setSize(mounted)
    measured.clear()
    animation = undefined
  }

  const changeProps = (one: Mounted): void => {
    const before = one.props
    applyProps(one)
    const names = new Set([...Object.keys(before), ...Object.keys(one.props)])
    for (const name of names) {
      if (before[name] === one.props[name] || !isShape(name)) continue
      layOutLater()
      return
    }
  }

  const each = (all: ReadonlyArray<Mounted>, visit: (one: Mounted) => void): void => {
    for (const one of all) {
      visit(one)
      each(one.children, visit)
    }
  }

  return {
    element: root,
    children: () => children,
    find: (tag) => mounted.get(tag),
    size: () => mounted.size,
    commit: (nodes) => {
      const old = children
      children = next(undefined, nodes, old)
      leave()
      if (!isSame(old, children)) {
        placeNodes(top, old, children)
        placeElements(root, children, root)
      }
      layOut()
    },
    layOut: () => {
      each(children, (one) => {
        if (one.layout !== undefined) one.drawing.shape?.(one.layout, one.props)
      })
      layOut()
    },
    remeasure: () => {
      each(children, (one) => {
        if (one.drawing.measure !== undefined) soil(one)
      })
      layOut()
    },
    repaint: () => {
      each(children, (one) => {
        paint(one.drawing.element.style, one.props, nothing)
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
      animation = configured
    }
  }
}
