/**
 * What a test of an app sees: the elements that are visible, by id, text and place. It reads the document alone, so it also
 * serves apps that a browser runs by itself. It matches as Maestro does.
 */
import { fieldsIn, scalarIn, type Fields } from "./flow.ts"

export interface Point {
  readonly x: number
  readonly y: number
}

/** An element, and the part of it that is on the screen. */
export interface VisibleElement {
  readonly element: Element
  readonly box: DOMRect
}

export const centerOf = ({ box }: VisibleElement): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 })

/** What people press: on a phone, each is one element for tests and screen readers, and what stands in it is none. */
const pressable =
  "button,a[href],input,textarea,select,[data-accessible=true],[tabindex]," +
  ["button", "link", "checkbox", "radio", "switch", "tab", "menuitem", "slider", "combobox", "searchbox"]
    .map((role) => `[role=${role}]`)
    .join()

/** The element around one that people press, or itself. On a phone, nothing within an accessible element is one of its own. */
export const pressableAround = (element: Element): Element | undefined => {
  let outermost: Element | undefined
  for (let at = element.closest("[data-accessible=true]"); at !== null;) {
    outermost = at
    at = at.parentElement?.closest("[data-accessible=true]") ?? null
  }
  return outermost ?? element.closest(pressable) ?? undefined
}

export const idOf = (element: Element): string | undefined => element.getAttribute("data-testid") ?? undefined

const isField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

const isTextNode = (node: Node): boolean => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== ""

/** Whether an element is a text itself, and not only contains some. */
const isText = (element: Element): boolean => element.matches(".text") || [...element.childNodes].some(isTextNode)

/** The texts in an element, from the outermost in. */
const textsIn = (element: Element): ReadonlyArray<string> =>
  isText(element)
    ? [(element.textContent ?? "").trim()]
    : [...element.children].flatMap((child) => {
        const label = child.getAttribute("aria-label")
        return label === null ? textsIn(child) : [label]
      })

/** The texts of an element by which it is found: its own, its label, what is typed into it, and its placeholder. */
export const textsOf = (element: Element): ReadonlyArray<string> => {
  const label = element.getAttribute("aria-label")
  const labels = label === null ? [] : [label]
  if (isField(element)) return [...labels, ...[element.value, element.placeholder].filter((text) => text !== "")]
  if (isText(element)) return [...labels, (element.textContent ?? "").trim()]
  if (label !== null || !element.matches(pressable)) return labels
  // Versions of React Native join the texts of an element in one of two ways.
  const texts = textsIn(element)
  return texts.length === 0 ? [] : [...new Set([texts.join(" "), texts.join(", ")])]
}

/** The text by which an element is described, as a pattern of Maestro. */
export const patternOf = (element: Element): string | undefined => {
  const label = element.getAttribute("aria-label")
  const texts = label === null ? (isField(element) ? [element.placeholder] : textsIn(element)) : [label]
  const known = texts.filter((text) => text.trim() !== "")
  if (known.length === 0) return undefined
  // Three dots stand for a hidden secret in a flow.
  return known
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("•••", "•{3}"))
    .join(",? ")
}

/** Whether a pattern of Maestro matches a whole text, or is that text. */
const matches = (pattern: string, text: string): boolean => {
  const line = text.replaceAll("\n", " ")
  if (pattern === text || pattern === line) return true
  try {
    const expression = new RegExp(`^(?:${pattern})$`, "is")
    return expression.test(text) || expression.test(line)
  } catch {
    return false
  }
}

const intersection = (one: DOMRect, other: DOMRect): DOMRect => {
  const [left, top] = [Math.max(one.left, other.left), Math.max(one.top, other.top)]
  return new DOMRect(
    left,
    top,
    Math.max(0, Math.min(one.right, other.right) - left),
    Math.max(0, Math.min(one.bottom, other.bottom) - top)
  )
}

/** Whether nothing is seen through an element. */
const isOpaque = (element: Element): boolean => {
  if (element.matches("img, video, canvas")) return true
  const { backgroundColor } = getComputedStyle(element)
  const [, alpha] = /(?:^rgba\(.*,|\/)\s*([\d.]+%?)\)$/.exec(backgroundColor) ?? []
  return (
    backgroundColor !== "transparent" &&
    (alpha === undefined || Number.parseFloat(alpha) >= (alpha.endsWith("%") ? 90 : 0.9))
  )
}

/** Whether something that isn't a part of an element covers it at a point. */
const isCovered = (element: Element, { x, y }: Point): boolean => {
  const top = document.elementFromPoint(x, y)
  if (top === null) return true
  for (let at: Element | null = top; at !== null; at = at.parentElement) {
    if (at.contains(element) || element.contains(at)) return false
    if (isOpaque(at)) return true
  }
  return false
}

/** Where an element is checked for others that cover it, as parts of its width and height. */
const checkedPoints = [
  [0.5, 0.5],
  [0.1, 0.5],
  [0.9, 0.5],
  [0.5, 0.1],
  [0.5, 0.9]
] as const

/** The part of an element that people see; `undefined` if they see none of it. */
const visiblePart = (element: Element): VisibleElement | undefined => {
  if (element.closest("[aria-hidden=true], [hidden]") !== null) return undefined
  if (getComputedStyle(element).visibility !== "visible") return undefined
  let box = intersection(element.getBoundingClientRect(), new DOMRect(0, 0, innerWidth, innerHeight))
  for (let at: Element | null = element; at !== null && box.width * box.height > 0; at = at.parentElement) {
    const { opacity, overflowX, overflowY } = getComputedStyle(at)
    if (Number(opacity) === 0) return undefined
    const isRoot = at === document.body || at === document.documentElement
    if (at !== element && !isRoot && (overflowX !== "visible" || overflowY !== "visible")) {
      box = intersection(box, at.getBoundingClientRect())
    }
  }
  if (box.width * box.height === 0) return undefined
  const isSeen = checkedPoints.some(
    ([across, down]) => !isCovered(element, { x: box.x + box.width * across, y: box.y + box.height * down })
  )
  return isSeen ? { element, box } : undefined
}

/** How much of an element is seen, from 0 to 1. */
export const visibleShare = ({ box, element }: VisibleElement): number => {
  const { height, width } = element.getBoundingClientRect()
  return (box.width * box.height) / Math.max(1e-9, width * height)
}

/** A selector that can't be followed here. */
export class UnknownSelector extends Error {}

const relations: Readonly<Record<string, (one: DOMRect, other: DOMRect) => boolean>> = {
  below: (one, other) => one.y > other.y,
  above: (one, other) => one.y < other.y,
  leftOf: (one, other) => one.x < other.x,
  rightOf: (one, other) => one.x > other.x
}

const distance = (one: VisibleElement, other: VisibleElement): number => {
  const [a, b] = [centerOf(one), centerOf(other)]
  return Math.hypot(a.x - b.x, a.y - b.y)
}

const isOn = (element: Element, name: string): boolean => element.getAttribute(`aria-${name}`) === "true"

const states: Readonly<Record<string, (element: Element) => boolean>> = {
  enabled: (element) => !isOn(element, "disabled") && !element.matches(":disabled"),
  selected: (element) => isOn(element, "selected"),
  checked: (element) => isOn(element, "checked") || element.matches(":checked"),
  focused: (element) => element === document.activeElement
}

/** The traits of Maestro: of a text, and of a box. */
const traits: Readonly<Record<string, (element: Element, box: DOMRect) => boolean>> = {
  text: (element) => textsOf(element).length > 0,
  "long-text": (element) => textsOf(element).some((text) => text.length > 200),
  square: (_, { height, width }) => Math.abs(width - height) < 0.02 * Math.max(width, height)
}

/** The names in a selector that don't select: they say how a command acts on what was found. */
const commandOptions = new Set(
  [
    "point start end label optional repeat delay retryTapIfNoChange waitUntilVisible waitToSettleTimeoutMs duration".split(
      " "
    )
  ].flat()
)

const withoutOuter = (matching: ReadonlyArray<VisibleElement>): ReadonlyArray<VisibleElement> =>
  matching.filter(
    ({ element }) => !matching.some((other) => other.element !== element && element.contains(other.element))
  )

/** Whether a selector selects at all: a place on the screen alone doesn't. */
export const selects = (selector: unknown): boolean =>
  typeof selector === "string" || Object.keys(fieldsIn(selector)).some((name) => !commandOptions.has(name))

/** The visible elements that a selector selects, the one that Maestro would take first. Throws {@link UnknownSelector}. */
export const find = (selector: unknown, root: Element = document.body): ReadonlyArray<VisibleElement> => {
  const fields: Fields = scalarIn(selector) === undefined ? fieldsIn(selector) : { text: selector }
  const {
    childOf,
    containsChild,
    containsDescendants,
    height,
    id,
    index,
    text,
    tolerance,
    traits: wanted,
    width,
    ...more
  } = fields
  const [pattern, idPattern] = [scalarIn(text), scalarIn(id)]
  const wantedTraits = (scalarIn(wanted) ?? "").split(" ").filter((name) => name !== "")
  const names = Object.keys(more).filter((name) => !commandOptions.has(name))
  const [other] = names.filter((name) => !(name in relations) && !(name in states))
  if (other !== undefined) throw new UnknownSelector(`the selector ${other} is not supported`)
  if (!selects(selector)) throw new UnknownSelector("it selects nothing")

  const roots =
    childOf === undefined
      ? [root]
      : find(childOf, root)
          .slice(0, 1)
          .map(({ element }) => element)
  const isWanted = (element: Element): boolean => {
    const elementId = idOf(element)
    if (
      idPattern !== undefined &&
      (elementId === undefined ||
        !(matches(idPattern, elementId) || matches(idPattern, elementId.slice(elementId.lastIndexOf("/") + 1))))
    )
      return false
    if (pattern !== undefined && !textsOf(element).some((one) => matches(pattern, one))) return false
    const box = element.getBoundingClientRect()
    const isSize = (length: unknown, of: number): boolean =>
      length === undefined || Math.abs(Number(length) - of) <= (Number(tolerance) || 0)
    if (!isSize(width, box.width) || !isSize(height, box.height)) return false
    if (wantedTraits.some((name) => traits[name]?.(element, box) !== true)) return false
    return names.every(
      (name) => states[name] === undefined || states[name](element) === (more[name] === true || more[name] === "true")
    )
  }
  const all = roots
    .flatMap((one) => [...one.querySelectorAll("*")])
    .filter((element) => !element.matches("script, style, template") && isWanted(element))
    .flatMap((element) => visiblePart(element) ?? [])
  let matching = withoutOuter(all)
  for (const name of names) {
    const relation = relations[name]
    if (relation === undefined) continue
    const others = find(more[name], root)
    const apart = (one: VisibleElement) => Math.min(...others.map((two) => distance(one, two)))
    matching = matching
      .filter((one) => others.some((two) => relation(one.box, two.box)))
      .toSorted((one, two) => apart(one) - apart(two))
  }
  if (containsChild !== undefined) {
    const children = find(containsChild, root)
    matching = all.filter(({ element }) => children.some((child) => element.contains(child.element)))
  }
  if (Array.isArray(containsDescendants)) {
    matching = all.filter(({ element }) => containsDescendants.every((one: unknown) => find(one, element).length > 0))
    matching = withoutOuter(matching)
  }
  if (index === undefined) {
    return matching.toSorted(
      (one, two) => Number(two.element.matches(pressable)) - Number(one.element.matches(pressable))
    )
  }
  const number = Math.trunc(Number(index))
  const ordered = matching.toSorted((one, two) => one.box.y - two.box.y || one.box.x - two.box.x)
  return [ordered.at(number)].flatMap((one) => one ?? [])
}

/** A point of a flow within a box: `50%,20%` of it, or so many points from its corner. */
export const pointIn = (text: string, { height, width, x, y }: DOMRect): Point | undefined => {
  const [, across, down, percent] = /^\s*(\d+(?:\.\d+)?)%?\s*,\s*(\d+(?:\.\d+)?)(%)?\s*$/.exec(text) ?? []
  if (across === undefined || down === undefined) return undefined
  return percent === undefined
    ? { x: x + Number(across), y: y + Number(down) }
    : { x: x + (width * Number(across)) / 100, y: y + (height * Number(down)) / 100 }
}

export const screenBox = (): DOMRect => new DOMRect(0, 0, innerWidth, innerHeight)
