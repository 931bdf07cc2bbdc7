/** The script in an app's frame that says what the app is made of. The bridge loads it when a page first asks. */
import { functionIn, fieldsIn, type Fields } from "../../../phone/runtime/decode.ts"
import { inspectEvent, type Edges, type Inspection } from "../../../phone/inspection.ts"
import { noteEvent } from "../../../phone/runtime/notes.ts"
import { idOf, pressableAround } from "../../../phone/flows/elements.ts"
import { describe } from "../frame/describe.ts"
import { requestEvent } from "../frame/frameRequests.ts"
import { isReached, nameOf, reachedBelow, roleOf, statesOf } from "./accessible.ts"
import { makeComponentNames } from "./componentNames.ts"
import { currentOf, makeFibers, type Fiber, type Fibers } from "./fibers.ts"
import {
  mostInspected,
  type Inspected,
  type InspectorRequest,
  type Item,
  type Section,
  type TreeKind
} from "./inspectorMessages.ts"
import { archiveText, exchangeItem, exchangeSections } from "./network.ts"
import { makePicker } from "./picking.ts"
import { logEvent, type NetworkLog } from "../frame/networkLog.ts"

/** A node of a tree: a component, or an element of the document. */
type Node = Fiber | Element

const ownFolder = new URL("./", document.baseURI).href

/** What another script in the frame hands over, if it is there. */
const handedOver = <A>(event: string): A | undefined => {
  let given: A | undefined
  const receive = (one: A): void => {
    given = one
  }
  document.dispatchEvent(new CustomEvent(event, { detail: receive }))
  return given
}

const bundleUrl = ((): string => {
  const script = document.querySelector<HTMLScriptElement>("script[data-bundle], body > script[crossorigin][src]")
  return new URL(script?.dataset["bundle"] ?? script?.src ?? "", document.baseURI).href
})()

/** The text of the bundle; empty where it can't be read. */
const bundleText = async (): Promise<string> => {
  const answer = await fetch(bundleUrl).catch(() => undefined)
  return answer?.ok === true ? answer.text() : ""
}

const answer = (of: Inspected["of"], id: number, found: Partial<Inspected>): void => {
  const detail: Inspected = {
    kind: "inspected",
    of,
    id,
    turn: 0,
    items: [],
    left: 0,
    sections: [],
    path: [],
    text: "",
    ...found
  }
  document.dispatchEvent(new CustomEvent(noteEvent, { detail }))
}

/** Who has the URL of the folder can open what is in it, so texts don't have it. */
const shown = (found: string): string => found.replaceAll(ownFolder, "./")

const text = (value: unknown, most = mostInspected.value): string => shown(describe([value], most))

/** The numbers by which a page knows nodes. A fiber and its alternate are one. */
const makeIds = () => {
  const ids = new WeakMap<object, number>()
  const nodes = new Map<number, WeakRef<Node>>()
  let last = 0
  return {
    of: (node: Node): number => {
      const other = node instanceof Element ? undefined : node["alternate"]
      const known = ids.get(node) ?? (typeof other === "object" && other !== null ? ids.get(other) : undefined)
      const id = known ?? ++last
      ids.set(node, id)
      nodes.set(id, new WeakRef(node))
      return id
    },
    nodeOf: (id: number): Node | undefined => {
      const node = nodes.get(id)?.deref()
      return node === undefined || node instanceof Element ? node : currentOf(node)
    }
  }
}

const rounded = (points: number): number => Math.round(points * 100) / 100

const sizes = (edges: Edges): string =>
  edges.every((one) => one === edges[0]) ? String(rounded(edges[0])) : edges.map(rounded).join(" ")

const flat = (style: unknown): Fields =>
  Array.isArray(style) ? Object.assign({}, ...style.map(flat)) : fieldsIn(style)

/** The values that are set. A getter isn't run. */
const rowsOf = (values: Fields): Section["rows"] =>
  Object.entries(Object.getOwnPropertyDescriptors(values))
    .filter(([, { get, value }]) => value !== undefined || get !== undefined)
    .slice(0, mostInspected.rows)
    .map(([name, { value }]) => [name, text(value)])

const boxRows = (element: Element, phone: Inspection | undefined): Section["rows"] => {
  const { height, width, x, y } = element.getBoundingClientRect()
  const style = getComputedStyle(element)
  const cssEdges = (name: (side: string) => string): Edges => {
    const [top = 0, right = 0, bottom = 0, left = 0] = ["top", "right", "bottom", "left"].map(
      (side) => Number.parseFloat(style.getPropertyValue(name(side))) || 0
    )
    return [top, right, bottom, left]
  }
  const layout = phone?.componentAt(element)?.layout ?? {
    margin: cssEdges((side) => `margin-${side}`),
    border: cssEdges((side) => `border-${side}-width`),
    padding: cssEdges((side) => `padding-${side}`)
  }
  return [
    ["position", [x, y].map(Math.round).join(", ")],
    ["size", [width, height].map(rounded).join(" × ")],
    ["margin", sizes(layout.margin)],
    ["border", sizes(layout.border)],
    ["padding", sizes(layout.padding)]
  ]
}

const begin = async (): Promise<(request: InspectorRequest) => void> => {
  const phone = handedOver<Inspection>(inspectEvent)
  const log = handedOver<NetworkLog>(logEvent)
  const fibers: Fibers = makeFibers(phone, makeComponentNames(await bundleText()))
  const ids = makeIds()

  const elementOf = (node: Node): Element | undefined => (node instanceof Element ? node : fibers.elementOf(node))
  const fiberOf = (node: Node): Fiber | undefined => (node instanceof Element ? fibers.fiberAt(node) : node)
  const tagOf = (element: Element): string => phone?.componentAt(element)?.name ?? element.localName

  /** A document without React has its elements for components. */
  const hasFibers = (): boolean => fibers.roots().length > 0

  const rootsOf = (tree: TreeKind): ReadonlyArray<Node> => {
    if (tree === "accessibility") return reachedBelow(document.body)
    const roots = fibers.roots()
    return roots.length > 0 ? roots : [...(document.querySelector("#root") ?? document.body).children]
  }

  const childrenOf = (node: Node, tree: TreeKind): ReadonlyArray<Node> =>
    node instanceof Element
      ? tree === "accessibility"
        ? reachedBelow(node)
        : [...node.children]
      : fibers.children(node)

  const itemOf = (node: Node, tree: TreeKind): Item => {
    const element = elementOf(node)
    const id = element === undefined ? undefined : idOf(element)
    const own = node instanceof Element || fibers.isHost(node) ? element : undefined
    const label = own === undefined ? "" : nameOf(own)
    const name =
      node instanceof Element
        ? tree === "accessibility"
          ? roleOf(node) || "text"
          : node.localName
        : (fibers.nameOf(node) ?? "")
    const details = [own === undefined || id === undefined ? "" : `#${id}`, label === "" ? "" : text(`“${label}”`, 100)]
    return {
      id: ids.of(node),
      name: name.slice(0, mostInspected.name),
      detail: details.join(" ").trim().slice(0, mostInspected.name),
      hasChildren: childrenOf(node, tree).length > 0
    }
  }

  const detailsOf = (node: Node): ReadonlyArray<Section> => {
    const [fiber, element] = [fiberOf(node), elementOf(node)]
    const props = fiber === undefined ? {} : fibers.propsOf(fiber)
    const { children, style, ...others } = props
    const line = fiber === undefined ? [] : fibers.lineOf(fiber).flatMap((one) => fibers.nameOf(one) ?? [])
    const sections: ReadonlyArray<Section> = [
      { title: "Component stack", rows: line.slice(-mostInspected.rows).map((name, depth) => [String(depth), name]) },
      { title: "Props", rows: rowsOf(typeof children === "string" ? { children, ...others } : others) },
      { title: "Style", rows: rowsOf(flat(style)) },
      { title: "Box model", rows: element === undefined ? [] : boxRows(element, phone) },
      {
        title: "Accessibility",
        rows:
          element === undefined
            ? []
            : [
                ["role", roleOf(element) || "none"],
                ["name", text(nameOf(element))],
                ...statesOf(element),
                ["reached", isReached(element) ? "yes" : "no"]
              ]
      }
    ]
    return sections.filter(({ rows }) => rows.length > 0)
  }

  const pathOf = (element: Element, tree: TreeKind): ReadonlyArray<number> => {
    const isElements = tree === "accessibility" || !hasFibers()
    if (!isElements) {
      const fiber = fibers.fiberAt(element)
      return fiber === undefined ? [] : fibers.lineOf(fiber).map(ids.of)
    }
    const line: Array<Element> = []
    const first = tree === "accessibility" ? (pressableAround(element) ?? element) : element
    for (let at: Element | null = first; at !== null && at !== document.body; at = at.parentElement) {
      if (tree !== "accessibility" || isReached(at)) line.push(at)
    }
    return line.toReversed().map(ids.of)
  }

  let tree: TreeKind = "components"
  const picker = makePicker({
    nameOf: tagOf,
    picked: (element) => answer("picked", 0, { path: element === undefined ? [] : pathOf(element, tree) })
  })

  /** What the app asked of the network. The bundle is loaded by what runs it. */
  const asked = () => log?.exchanges.filter(({ url }) => url !== bundleUrl && !/^(?:data|blob):/i.test(url)) ?? []

  const storeSections = (): ReadonlyArray<Section> => {
    const web = { localStorage: Object.entries(localStorage), sessionStorage: Object.entries(sessionStorage) }
    return [...(phone?.stores() ?? []), ...Object.entries(web)]
      .map(([title, entries]) => ({
        title,
        rows: [...entries].slice(0, mostInspected.rows).map(([name, value]) => [name, text(value)] as const)
      }))
      .filter(({ rows }) => rows.length > 0)
  }

  return (request) => {
    switch (request.ask) {
      case "pick":
        tree = request.tree
        if (request.isPicking) picker.begin()
        else picker.end()
        return
      case "exchanges": {
        const items = asked().map((one) => exchangeItem(one, shown))
        return answer("exchanges", 0, { items, left: log?.dropped() ?? 0 })
      }
      case "exchange": {
        const exchange = asked().find(({ id }) => id === request.id)
        return answer("exchange", request.id, {
          sections: exchange === undefined ? [] : exchangeSections(exchange, shown)
        })
      }
      case "archive":
        return answer("archive", 0, { text: archiveText(asked(), shown) })
      case "stores":
        return answer("stores", 0, { sections: storeSections() })
    }
    const node = ids.nodeOf(request.id)
    if (request.ask === "mark") {
      const element = node === undefined ? undefined : elementOf(node)
      picker.mark(element, element === undefined ? "" : tagOf(element))
    } else if (request.ask === "details") {
      answer("details", request.id, { sections: node === undefined ? [] : detailsOf(node) })
    } else {
      const all = request.id === 0 ? rootsOf(request.tree) : node === undefined ? [] : childrenOf(node, request.tree)
      const items = all.slice(0, mostInspected.items).map((one) => itemOf(one, request.tree))
      answer("children", request.id, { turn: request.turn, items, left: all.length - items.length })
    }
  }
}

const ready = begin()

document.addEventListener(requestEvent("inspector"), (event) => {
  if (event instanceof CustomEvent && functionIn(event.detail) === undefined) {
    const request: InspectorRequest = event.detail
    void ready.then((handle) => handle(request))
  }
})
