import type { Calls } from "../runtime/calls.ts"
import { fieldsIn, functionIn, numberIn, type AppFunction, type Fields } from "../runtime/decode.ts"
import type { Notes } from "../runtime/notes.ts"
import { shortName } from "../views/Component.ts"
import { priorities, type Events } from "./events.ts"
import { layoutAnimation } from "./paint.ts"
import {
  changed,
  type Mounted,
  mountedAt,
  mountedOf,
  type Reference,
  shadowNode,
  type ShadowNode
} from "./ShadowTree.ts"
import type { Surface } from "./surface.ts"

/** The element of a component, or of the root. */
export const elementOf = (surface: Surface, reference: Reference): Element | undefined =>
  typeof reference === "number" ? surface.element : mountedOf(surface.tree, reference)?.drawing.element

/**
 * Where a component is in one around it, by the layout alone: on a phone, what is scrolled and transformed between them
 * doesn't count here. `undefined` where the layout doesn't know, as within a text.
 */
const placeWithin = (inner: Mounted, outer: Mounted): { readonly x: number; readonly y: number } | undefined => {
  let [x, y] = [0, 0]
  for (let at: Mounted | undefined = inner; at !== outer; at = at.parent) {
    if (at?.layout === undefined || at.parent?.drawing.isText === true) return undefined
    x += at.box.x
    y += at.box.y
  }
  return { x, y }
}

/** The measurements that the app requests. */
export const makeMeasures = (surface: Surface, calls: Calls) => ({
  measure: (node: Reference, callback: AppFunction): void => {
    const mounted = mountedOf(surface.tree, node)
    const element = mounted?.drawing.element
    if (mounted === undefined || element === undefined || !element.isConnected) {
      calls.call(callback, 0, 0, 0, 0, 0, 0)
      return
    }
    const page = element.getBoundingClientRect()
    const { height, width, x, y } = mounted.layout === undefined ? page : mounted.box
    calls.call(callback, x, y, width, height, page.x, page.y)
  },
  measureInWindow: (node: Reference, callback: AppFunction): void => {
    const page = elementOf(surface, node)?.getBoundingClientRect()
    calls.call(callback, page?.x ?? 0, page?.y ?? 0, page?.width ?? 0, page?.height ?? 0)
  },
  measureLayout: (node: Reference, relative: Reference, failed: unknown, done: AppFunction): void => {
    const element = elementOf(surface, node)
    const around = elementOf(surface, relative)
    if (element?.isConnected !== true || around?.isConnected !== true) {
      const fail = functionIn(failed)
      if (fail !== undefined) calls.call(fail)
      return
    }
    const [one, other] = [mountedAt(element), mountedAt(around)]
    const place = one === undefined || other === undefined ? undefined : placeWithin(one, other)
    if (one !== undefined && place !== undefined) {
      calls.call(done, place.x, place.y, one.box.width, one.box.height)
      return
    }
    const [inner, outer] = [element.getBoundingClientRect(), around.getBoundingClientRect()]
    calls.call(
      done,
      inner.x - outer.x + around.scrollLeft,
      inner.y - outer.y + around.scrollTop,
      inner.width,
      inner.height
    )
  },
  getBoundingClientRect: (node: Reference): ReadonlyArray<number> => {
    const page = elementOf(surface, node)?.getBoundingClientRect()
    return page === undefined ? [0, 0, 0, 0] : [page.x, page.y, page.width, page.height]
  },
  compareDocumentPosition: (one: Reference, other: Reference): number => {
    const [first, second] = [elementOf(surface, one), elementOf(surface, other)]
    return first === undefined || second === undefined ? 1 : first.compareDocumentPosition(second)
  },
  setNativeProps: (node: Reference, props: Fields): void => {
    const mounted = mountedOf(surface.tree, node)
    if (mounted !== undefined) surface.setProps(mounted, props)
  }
})

/** Who of the app follows the finger, as far as the phone has to know. */
export interface Responder {
  /** Whether nothing may be scrolled meanwhile. */
  isBlocking: boolean
}

/** The number of components above which a note says that drawing takes a while. */
const manyComponents = 2000

/** The most components that an app may have at a time. A phone's memory holds no more either. */
const mostComponents = 120_000

/** `nativeFabricUIManager`: through it React's renderer has everything drawn. */
export const makeUiManager = (surface: Surface, events: Events, calls: Calls, notes: Notes, responder: Responder) => {
  const clone = (node: ShadowNode, props: Fields, children: Array<ShadowNode>): ShadowNode =>
    shadowNode(node.family, props, children)

  const measures = makeMeasures(surface, calls)

  /** How many components the app has made since it last had any drawn. */
  let made = 0
  const count = (): void => {
    made += 1
    if (made === manyComponents) notes.doing("It is making thousands of components, which takes a while.")
    if (surface.tree.byTag.size + made > mostComponents) {
      made = 0
      notes.doing("")
      throw new RangeError(`The app has more than ${mostComponents.toLocaleString("en")} components at a time.`)
    }
  }

  const command = (node: Reference, name: string, values: ReadonlyArray<unknown>): void => {
    const mounted = mountedOf(surface.tree, node)
    if (mounted === undefined) return
    const run = mounted.drawing.commands?.[name]
    if (run === undefined) notes.missing("command", `${mounted.family.name}.${name}`)
    else run(...values)
  }

  return {
    ...measures,
    createNode: (tag: number, name: string, _root: number, props: unknown, handle: unknown): ShadowNode => {
      count()
      return shadowNode({ tag, name: shortName(name), handle }, changed({}, fieldsIn(props)), [])
    },
    cloneNode: (node: ShadowNode) => clone(node, node.props, node.children),
    cloneNodeWithNewChildren: (node: ShadowNode, children: Array<ShadowNode> = []) => clone(node, node.props, children),
    cloneNodeWithNewProps: (node: ShadowNode, props: unknown) =>
      clone(node, changed(node.props, fieldsIn(props)), node.children),
    // The older renderer appends the children afterwards, the newer one passes them first.
    cloneNodeWithNewChildrenAndProps: (
      node: ShadowNode,
      first: Array<ShadowNode> | Fields,
      second?: Fields
    ): ShadowNode =>
      Array.isArray(first)
        ? clone(node, changed(node.props, fieldsIn(second)), first)
        : clone(node, changed(node.props, fieldsIn(first)), []),
    createChildSet: (): Array<ShadowNode> => [],
    appendChild: (parent: ShadowNode, child: ShadowNode): ShadowNode => {
      parent.children.push(child)
      return parent
    },
    appendChildToSet: (set: Array<ShadowNode>, child: ShadowNode): void => {
      set.push(child)
    },
    completeRoot: (_root: number, set: ReadonlyArray<ShadowNode>): void => {
      const isLong = made >= manyComponents
      if (isLong) notes.doing(`It is drawing ${made.toLocaleString("en")} components, which takes a while.`)
      made = 0
      surface.commit(set)
      // The browser draws them after the next frame has begun.
      if (isLong) requestAnimationFrame(() => setTimeout(() => notes.doing("")))
    },
    registerEventHandler: events.register,
    dispatchCommand: command,
    sendAccessibilityEvent: (node: Reference, name: string): void => {
      const element = elementOf(surface, node)
      if (name === "focus" && element instanceof HTMLElement) element.focus()
    },
    configureNextLayoutAnimation: (config: unknown, done: unknown): void => {
      const animation = layoutAnimation(fieldsIn(config))
      surface.animateNext(animation)
      const finished = functionIn(done)
      if (finished !== undefined) setTimeout(() => calls.call(finished, { finished: true }), animation.duration)
    },
    findShadowNodeByTag_DEPRECATED: (tag: number): ShadowNode | null => surface.tree.byTag.get(tag)?.node ?? null,
    findNodeAtPoint: (_node: Reference, x: number, y: number, found: AppFunction): void => {
      calls.call(found, mountedAt(document.elementFromPoint(x, y))?.family.handle ?? null)
    },
    getRelativeLayoutMetrics: (node: Reference) => {
      const box = mountedOf(surface.tree, node)?.box
      return box === undefined ? null : [box.x, box.y, box.width, box.height]
    },
    setIsJSResponder: (_node: Reference, isResponder: boolean, isBlocking: boolean): void => {
      responder.isBlocking = isResponder && isBlocking
    },
    startSurface: (): void => {},
    unstable_DefaultEventPriority: priorities.usual,
    unstable_DiscreteEventPriority: priorities.discrete,
    unstable_ContinuousEventPriority: priorities.continuous,
    unstable_IdleEventPriority: priorities.idle,
    unstable_getCurrentEventPriority: () => numberIn(events.priority()) ?? priorities.usual
  }
}
