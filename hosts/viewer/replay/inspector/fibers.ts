/**
 * React's own tree in an app, of a phone or of the web. React keeps it in fibers, whose shape it has not changed since
 * version 17. A missing field of a fiber is ignored.
 */
import { fieldsIn, textIn, type Fields } from "../../../phone/runtime/decode.ts"
import type { Inspection } from "../../../phone/inspection.ts"
import { shortName } from "../../../phone/views/Component.ts"

export type Fiber = Fields

const isFiber = (value: unknown): value is Fiber =>
  typeof value === "object" && value !== null && "memoizedProps" in value && "return" in value

const fiberIn = (value: unknown): Fiber | undefined => (isFiber(value) ? value : undefined)

/** The most fibers that one question visits. */
const mostVisited = 50_000

/** What React keeps at an element of the web under a name that begins so. */
const keptAt = (element: Element, name: string): unknown => {
  const key = Object.keys(element).find((one) => one.startsWith(name))
  return key === undefined ? undefined : Reflect.get(element, key)
}

const isSame = (one: Fiber, other: Fiber): boolean => one === other || one["alternate"] === other

/** Those around a fiber, from itself to the root. */
const lineOf = (fiber: Fiber): ReadonlyArray<Fiber> => {
  const line: Array<Fiber> = []
  for (let at: Fiber | undefined = fiber; at !== undefined && line.length < mostVisited; at = fiberIn(at["return"])) {
    line.push(at)
  }
  return line
}

const childrenOf = (fiber: Fiber): ReadonlyArray<Fiber> => {
  const all: Array<Fiber> = []
  for (let at = fiberIn(fiber["child"]); at !== undefined && all.length < mostVisited; at = fiberIn(at["sibling"])) {
    all.push(at)
  }
  return all
}

/** The root as React last committed it: each root has two, which take turns. */
const currentRoot = (fiber: Fiber): Fiber | undefined =>
  fiberIn(fieldsIn(lineOf(fiber).at(-1)?.["stateNode"])["current"])

/** Of a fiber and its alternate, the one that React last committed; `undefined` if it is no longer there. */
export const currentOf = (fiber: Fiber): Fiber | undefined => {
  const line = lineOf(fiber).toReversed()
  let at = currentRoot(fiber)
  for (const wanted of line.slice(1)) {
    at = at === undefined ? undefined : childrenOf(at).find((child) => isSame(child, wanted))
  }
  return at
}

/** The wrappers that `memo`, `forwardRef`, `lazy` and contexts put around a component. */
const functionsIn = (type: unknown, depth = 0): ReadonlyArray<unknown> => {
  if (typeof type !== "object" || type === null || depth > 4) return [type]
  const { render, type: inner } = fieldsIn(type)
  return [type, ...functionsIn(render ?? inner, depth + 1)]
}

/** The tree of an app. `nameOf` finds the names that components were written with. */
export const makeFibers = (phone: Inspection | undefined, nameOf: (type: unknown) => string | undefined) => {
  const isHost = ({ type }: Fiber): boolean => typeof type === "string"

  const elementOfHost = ({ stateNode }: Fiber): Element | undefined =>
    stateNode instanceof Element ? stateNode : phone?.elementOf(fieldsIn(stateNode)["node"])

  const nameOfFiber = (fiber: Fiber): string | undefined => {
    const { type } = fiber
    if (typeof type === "string") return shortName(type)
    for (const one of functionsIn(type)) {
      const name = one === null || one === undefined ? undefined : nameOf(one)
      if (name !== undefined) return name
    }
    return undefined
  }

  /** The nearest below a fiber that have names. */
  const shownBelow = (fiber: Fiber): ReadonlyArray<Fiber> =>
    childrenOf(fiber).flatMap((child) => (nameOfFiber(child) === undefined ? shownBelow(child) : [child]))

  const elementOf = (fiber: Fiber): Element | undefined => {
    const queue = [fiber]
    for (let at = queue.shift(), seen = 0; at !== undefined && seen < mostVisited; at = queue.shift(), seen++) {
      if (isHost(at)) return elementOfHost(at)
      queue.unshift(...childrenOf(at))
    }
    return undefined
  }

  const fiberAt = (element: Element): Fiber | undefined => {
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const found = fiberIn(phone?.componentAt(at)?.handle ?? keptAt(at, "__reactFiber$"))
      if (found !== undefined) return currentOf(found)
    }
    return undefined
  }

  return {
    roots: (): ReadonlyArray<Fiber> => {
      const handles =
        phone?.roots() ?? [...document.querySelectorAll("*")].map((one) => keptAt(one, "__reactContainer$"))
      const roots = handles
        .map(fiberIn)
        .map((one) => (one === undefined ? undefined : currentRoot(one)))
        .filter((one) => one !== undefined)
      return [...new Set(roots)].flatMap(shownBelow)
    },
    children: shownBelow,
    nameOf: nameOfFiber,
    isHost,
    elementOf,
    fiberAt,
    /** The named components around a fiber, from the root to itself. */
    lineOf: (fiber: Fiber): ReadonlyArray<Fiber> =>
      lineOf(fiber)
        .filter((one) => nameOfFiber(one) !== undefined)
        .toReversed(),
    propsOf: (fiber: Fiber): Fields => fieldsIn(fiber["memoizedProps"]),
    /** The text of a fiber that is text. */
    textOf: (fiber: Fiber): string | undefined => textIn(fiber["memoizedProps"])
  }
}

export type Fibers = ReturnType<typeof makeFibers>
