/** The script in an app's frame that says what the app is made of. The bridge loads it when a page first asks. */
import { bytesText, durationText } from "../../../core/rules/amounts.ts"
import { idOf, pressableAround, textsOf } from "../../phone/flows/elements.ts"
import { type Edges, inspectEvent, type Inspection } from "../../phone/inspection.ts"
import { toBase64 } from "../../phone/modules/network.ts"
import { type Fields, fieldsIn, functionIn, textIn } from "../../phone/runtime/decode.ts"
import { noteEvent } from "../../phone/runtime/notes.ts"
import { shortName } from "../../phone/views/Component.ts"
import { describe } from "./describe.ts"
import {
  type Inspected,
  type InspectorRequest,
  type Item,
  maxInspected,
  requestEvent,
  type Section,
  type TreeKind
} from "./message.ts"
import { logEvent, type LoggedExchange, type LoggedResponse, type NetworkLog } from "./networkLog.ts"

// React's own tree in an app, of a phone or of the web. React keeps it in fibers, whose shape it has not changed since
// version 17. A missing field of a fiber is ignored.

type Fiber = Fields

const isFiber = (value: unknown): value is Fiber =>
  typeof value === "object" && value !== null && "memoizedProps" in value && "return" in value

const fiberIn = (value: unknown): Fiber | undefined => (isFiber(value) ? value : undefined)

/** The most fibers that one question visits. */
const maxVisited = 50_000

/** What React keeps at an element of the web under a name that begins so. */
const keptAt = (element: Element, name: string): unknown => {
  const key = Object.keys(element).find((one) => one.startsWith(name))
  return key === undefined ? undefined : Reflect.get(element, key)
}

const isSame = (one: Fiber, other: Fiber): boolean => one === other || one["alternate"] === other

/** Those around a fiber, from itself to the root. */
const lineOf = (fiber: Fiber): ReadonlyArray<Fiber> => {
  const line: Array<Fiber> = []
  for (let at: Fiber | undefined = fiber; at !== undefined && line.length < maxVisited; at = fiberIn(at["return"])) {
    line.push(at)
  }
  return line
}

const childrenOf = (fiber: Fiber): ReadonlyArray<Fiber> => {
  const all: Array<Fiber> = []
  for (let at = fiberIn(fiber["child"]); at !== undefined && all.length < maxVisited; at = fiberIn(at["sibling"])) {
    all.push(at)
  }
  return all
}

/** The root as React last committed it: each root has two, which take turns. */
const currentRoot = (fiber: Fiber): Fiber | undefined =>
  fiberIn(fieldsIn(lineOf(fiber).at(-1)?.["stateNode"])["current"])

/** Of a fiber and its alternate, the one that React last committed; `undefined` if it is no longer there. */
const currentOf = (fiber: Fiber): Fiber | undefined => {
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
const makeFibers = (phone: Inspection | undefined, nameOf: (type: unknown) => string | undefined) => {
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
    for (let at = queue.shift(), seen = 0; at !== undefined && seen < maxVisited; at = queue.shift(), seen++) {
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

type Fibers = ReturnType<typeof makeFibers>

// The names that components were written with. A release bundle lacks most, and its text or its source map has some.

/** Minifiers give names of one or two characters. */
const isWritten = (name: string | undefined): name is string => name !== undefined && /^[A-Z][\w$.]{2,}$/.test(name)

/** How much of a function is enough to find it in the bundle. */
const shortest = 24

/** What a function is assigned to, in the text before it: `e.Home=` or `Home=(0,x.memo)(`. */
const assigned = /([\w$]+)=(?:\(0,[\w$.]+\)\(|[\w$.]+\()*$/

/** Finds names. `bundle` is the text of the app. */
const makeComponentNames = (bundle: string) => {
  const known = new WeakMap<object, string>()

  const find = (type: object): string | undefined => {
    const { displayName, name, _context: context } = fieldsIn(Object.getOwnPropertyDescriptors(type))
    const own = [displayName, name].map((one) => textIn(fieldsIn(one)["value"])).find(isWritten)
    if (own !== undefined) return own
    const provided = textIn(fieldsIn(fieldsIn(context)["value"])["displayName"])
    if (isWritten(provided)) return `${provided}.Provider`
    if (typeof type !== "function") return undefined
    const text = Function.prototype.toString.call(type)
    const at = text.length < shortest ? -1 : bundle.indexOf(text)
    const before = at < 0 ? undefined : assigned.exec(bundle.slice(Math.max(0, at - 80), at))?.[1]
    return isWritten(before) ? before : undefined
  }

  return (type: unknown): string | undefined => {
    if ((typeof type !== "object" && typeof type !== "function") || type === null) return undefined
    const found = known.get(type) ?? find(type) ?? ""
    known.set(type, found)
    return found === "" ? undefined : found
  }
}

// What a screen reader finds of an app: of a phone's too, because its accessibility is drawn as ARIA.

/** The roles of elements that bear none by an attribute. */
const roles: Readonly<Record<string, string>> = {
  A: "link",
  BUTTON: "button",
  H1: "heading",
  H2: "heading",
  H3: "heading",
  IMG: "img",
  INPUT: "textbox",
  SELECT: "combobox",
  TEXTAREA: "textbox"
}

const roleOf = (element: Element): string => element.getAttribute("role") ?? roles[element.tagName] ?? ""

const nameOf = (element: Element): string => {
  const labels = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter((id) => id !== "")
  const [name] =
    labels.length === 0
      ? textsOf(element)
      : [labels.map((id) => document.getElementById(id)?.textContent ?? "").join(" ")]
  return name ?? element.getAttribute("alt") ?? ""
}

const said = /^aria-(?:busy|checked|current|description|disabled|expanded|hidden|level|live|modal|selected|value\w+)$/

/** Its states and values, as ARIA names them. */
const statesOf = (element: Element): ReadonlyArray<readonly [name: string, value: string]> =>
  [...element.attributes]
    .filter(({ name }) => said.test(name))
    .map(({ name, value }) => [name.slice("aria-".length), value] as const)

/** Whether a screen reader stops at it. */
const isReached = (element: Element): boolean => {
  const role = roleOf(element)
  if (role === "presentation") return false
  return role !== "" || nameOf(element) !== "" || pressableAround(element) === element
}

/** Whether it and all that stands in it is hidden from screen readers. */
const isHidden = (element: Element): boolean =>
  element.matches("[aria-hidden=true], [hidden], .gone, script, style, template") ||
  getComputedStyle(element).display === "none"

/** The nearest below an element at which a screen reader stops. What stands in one that is pressed as a whole isn't there. */
const reachedBelow = (element: Element): ReadonlyArray<Element> =>
  element !== document.body && pressableAround(element) === element
    ? []
    : [...element.children]
        .filter((child) => !isHidden(child))
        .flatMap((child) => (isReached(child) ? [child] : reachedBelow(child)))

/** Points at an element of an app: marks it, and lets a person press it without the app. */
const color = "#1668b8"

/** A frame above everything, with a name at its corner. */
const makeMark = () => {
  const mark = document.createElement("div")
  const label = document.createElement("div")
  mark.style.cssText = `position:fixed;z-index:2147483647;box-sizing:border-box;pointer-events:none;border:2px solid ${color};background:${color}33`
  label.style.cssText = `position:absolute;left:-2px;max-width:${innerWidth}px;padding:2px 6px;background:${color};color:#fff;font:12px/1.4 system-ui,sans-serif;white-space:nowrap;overflow:hidden;text-overflow:ellipsis`
  mark.setAttribute("aria-hidden", "true")
  mark.append(label)
  return {
    show: (element: Element | undefined, name: string): void => {
      if (element === undefined) {
        mark.remove()
        return
      }
      const { height, left, top, width } = element.getBoundingClientRect()
      Object.assign(mark.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` })
      label.style[top > 24 ? "bottom" : "top"] = "100%"
      label.style[top > 24 ? "top" : "bottom"] = ""
      label.textContent = `${name} ${Math.round(width)} × ${Math.round(height)}`
      document.documentElement.append(mark)
    }
  }
}

/** The events that don't reach the app while a person picks. */
const withheld = ["pointerdown", "pointerup", "mousedown", "mouseup", "touchstart", "click"] as const

const makePicker = (on: {
  readonly nameOf: (element: Element) => string
  /** An element was pressed; none if picking was ended by a key. */
  readonly picked: (element: Element | undefined) => void
}) => {
  const mark = makeMark()
  let picking: AbortController | undefined

  const elementAt = ({ clientX, clientY }: MouseEvent): Element | undefined =>
    document.elementFromPoint(clientX, clientY) ?? undefined

  const end = (): void => {
    picking?.abort()
    picking = undefined
  }

  const begin = (): void => {
    end()
    picking = new AbortController()
    const options = { capture: true, passive: false, signal: picking.signal }
    for (const name of withheld) {
      window.addEventListener(
        name,
        (event) => {
          // Without its default, a touch would be no click.
          if (event.type !== "touchstart") event.preventDefault()
          event.stopImmediatePropagation()
          if (event.type !== "click" || !(event instanceof MouseEvent)) return
          end()
          on.picked(elementAt(event))
        },
        options
      )
    }
    window.addEventListener(
      "pointermove",
      (event) => {
        event.stopImmediatePropagation()
        const element = elementAt(event)
        mark.show(element, element === undefined ? "" : on.nameOf(element))
      },
      options
    )
    window.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape") return
        event.stopImmediatePropagation()
        end()
        mark.show(undefined, "")
        on.picked(undefined)
      },
      options
    )
  }

  return { mark: mark.show, begin, end }
}

// What the network panel shows of the logged exchanges, and the archive (HAR 1.2) of them.

const isText = /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|javascript)|x-www-form-urlencoded))/i

const headerOf = ({ headers }: LoggedResponse, wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ""

const typeOf = (response: LoggedResponse): string => headerOf(response, "content-type")

const sizeText = ({ body, isCut }: LoggedResponse): string =>
  body === undefined ? "" : `${isCut === true ? "over " : ""}${bytesText(body.byteLength)}`

const stateOf = ({ error, response, took }: LoggedExchange): string =>
  response === undefined && error === undefined
    ? "pending"
    : [
        response === undefined ? "failed" : String(response.status),
        durationText(took ?? 0),
        response && sizeText(response)
      ]
        .filter((one) => one)
        .join(" · ")

/** An exchange as an item of the list. `shown` removes what must not be read from a URL. */
const exchangeItem = (exchange: LoggedExchange, shown: (text: string) => string): Item => ({
  id: exchange.id,
  name: shown(`${exchange.method} ${exchange.url}`).slice(0, maxInspected.name),
  detail: stateOf(exchange),
  hasChildren: false
})

const bodyText = (response: LoggedResponse): string => {
  const { body, isCut } = response
  if (body === undefined || body.byteLength === 0) return ""
  const type = typeOf(response)
  if (type !== "" && !isText.test(type)) return `${sizeText(response)} of ${type}`
  const text = new TextDecoder().decode(body)
  return isCut === true || text.length > maxInspected.value ? `${text.slice(0, maxInspected.value - 1)}…` : text
}

const exchangeSections = (exchange: LoggedExchange, shown: (text: string) => string): ReadonlyArray<Section> => {
  const { error, method, requestBody, requestHeaders, response, url } = exchange
  const sections: ReadonlyArray<Section> = [
    {
      title: "General",
      rows: [
        ["URL", shown(url)],
        ["method", method],
        ["status", response === undefined ? (error ?? "pending") : `${response.status} ${response.statusText}`.trim()]
      ]
    },
    { title: "Request headers", rows: requestHeaders },
    {
      title: "Request body",
      rows: requestBody === undefined ? [] : [["body", requestBody.slice(0, maxInspected.value)]]
    },
    { title: "Response headers", rows: response?.headers ?? [] },
    { title: "Response body", rows: response === undefined ? [] : [["body", bodyText(response)]] }
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

/** How many bytes of bodies an archive has, those of requests and of responses together. */
const maxBodies = 2 ** 22

const pairsOf = (headers: LoggedResponse["headers"]) => headers.map(([name, value]) => ({ name, value }))

interface Room {
  bytes: number
}

const leftOut = "The archive is full, so the body was left out."

const hasRoom = (room: Room, bytes: number): boolean => {
  room.bytes -= bytes
  return room.bytes >= 0
}

const postDataOf = (text: string | undefined, room: Room): object => {
  if (text === undefined) return {}
  const fits = hasRoom(room, text.length)
  return { postData: { mimeType: "", text: fits ? text : "", ...(fits ? {} : { comment: leftOut }) } }
}

const contentOf = (response: LoggedResponse, room: Room): object => {
  const { body, isCut } = response
  const about = { size: body?.byteLength ?? 0, mimeType: typeOf(response) || "x-unknown" }
  if (body === undefined) return about
  if (!hasRoom(room, body.byteLength)) return { ...about, comment: leftOut }
  const cut = isCut === true ? { comment: `Only the first ${bytesText(body.byteLength)} were kept.` } : {}
  return isText.test(about.mimeType)
    ? { ...about, ...cut, text: new TextDecoder().decode(body) }
    : { ...about, ...cut, encoding: "base64", text: toBase64(body) }
}

/** The log as an archive, which `docs/replay.md` says how to give back to a preview. */
const archiveText = (exchanges: ReadonlyArray<LoggedExchange>, shown: (text: string) => string): string => {
  const room = { bytes: maxBodies }
  const entries = exchanges.map((exchange) => {
    const { begun, error, method, requestBody, requestHeaders, response, took = 0, url } = exchange
    const query = URL.canParse(url) ? [...new URL(url).searchParams] : []
    const none = { status: 0, statusText: error ?? "", headers: [] }
    return {
      startedDateTime: new Date(begun).toISOString(),
      time: took,
      request: {
        method,
        url: shown(url),
        httpVersion: "HTTP/1.1",
        cookies: [],
        headers: pairsOf(requestHeaders),
        queryString: query.map(([name, value]) => ({ name, value })),
        headersSize: -1,
        bodySize: -1,
        ...postDataOf(requestBody, room)
      },
      response: {
        status: response?.status ?? none.status,
        statusText: response?.statusText ?? none.statusText,
        httpVersion: "HTTP/1.1",
        cookies: [],
        headers: pairsOf(response?.headers ?? []),
        content: response === undefined ? { size: 0, mimeType: "x-unknown" } : contentOf(response, room),
        redirectURL: "",
        headersSize: -1,
        bodySize: -1
      },
      cache: {},
      timings: { send: 0, wait: took, receive: 0 }
    }
  })
  return JSON.stringify({ log: { version: "1.2", creator: { name: "Slipway", version: "1" }, entries } }, null, 2)
}

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

const text = (value: unknown, most = maxInspected.value): string => shown(describe([value], most))

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
    .slice(0, maxInspected.rows)
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
      name: name.slice(0, maxInspected.name),
      detail: details.join(" ").trim().slice(0, maxInspected.name),
      hasChildren: childrenOf(node, tree).length > 0
    }
  }

  const detailsOf = (node: Node): ReadonlyArray<Section> => {
    const [fiber, element] = [fiberOf(node), elementOf(node)]
    const props = fiber === undefined ? {} : fibers.propsOf(fiber)
    const { children, style, ...others } = props
    const line = fiber === undefined ? [] : fibers.lineOf(fiber).flatMap((one) => fibers.nameOf(one) ?? [])
    const sections: ReadonlyArray<Section> = [
      { title: "Component stack", rows: line.slice(-maxInspected.rows).map((name, depth) => [String(depth), name]) },
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
        rows: [...entries].slice(0, maxInspected.rows).map(([name, value]) => [name, text(value)] as const)
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
      const items = all.slice(0, maxInspected.items).map((one) => itemOf(one, request.tree))
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
