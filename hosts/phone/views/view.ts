/** Views, and what every component has: its description for tests and screen readers, and its touches. */
import { type Fields, fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { isAndroid, isDark } from "../runtime/device.ts"
import { color } from "../style/color.ts"
import { type Component, type ComponentContext, type Drawing, element } from "./Component.ts"

/** A plain view. On Android it shows a ripple where it is pressed, if the app asks for that. */
export const view: Component = (context): Drawing => {
  const drawn = element("view")
  return isAndroid() ? { element: drawn, commands: makeRipple(context, drawn) } : { element: drawn }
}

/** The commands by which React Native for Android has a view show its ripple: where the finger is, and whether it presses. */
const makeRipple = (context: ComponentContext, drawn: HTMLElement): NonNullable<Drawing["commands"]> => {
  let at = { x: 0, y: 0 }
  let shown: HTMLElement | undefined

  const show = (): void => {
    const props = context.props()
    const isAbove = props["nativeForegroundAndroid"] !== undefined
    const {
      attribute,
      borderless,
      color: paint,
      rippleRadius
    } = fieldsIn(props["nativeForegroundAndroid"] ?? props["nativeBackgroundAndroid"])
    const isBorderless = borderless === true || (textIn(attribute) ?? "").endsWith("Borderless")
    const { offsetHeight: height, offsetWidth: width } = drawn
    const radius = numberIn(rippleRadius) ?? (isBorderless ? Math.max(width, height) / 2 : Math.hypot(width, height))
    const [x, y] = isBorderless ? [width / 2, height / 2] : [at.x, at.y]
    const circle = element("")
    shown = element("ripple", circle)
    shown.style.cssText =
      `position:absolute;inset:0;pointer-events:none;border-radius:inherit;overflow:${isBorderless ? "visible" : "clip"};` +
      `z-index:${isAbove ? 1 : -1}`
    circle.style.cssText =
      `position:absolute;left:${x - radius}px;top:${y - radius}px;width:${radius * 2}px;height:${radius * 2}px;` +
      `border-radius:50%;background:${color(paint) || (isDark() ? "#ffffff33" : "#0000001f")}`
    circle.animate([{ scale: 0.1 }, { scale: 1 }], { duration: 300, easing: "ease-out" })
    // What lies behind the children of a view is above its own background only in a layer of its own.
    drawn.style.isolation = "isolate"
    drawn.append(shown)
  }

  const hide = (): void => {
    const leaving = shown
    shown = undefined
    leaving?.animate([{}, { opacity: 0 }], { duration: 250 }).addEventListener("finish", () => leaving.remove())
  }

  return {
    hotspotUpdate: (x, y) => {
      at = { x: numberIn(x) ?? 0, y: numberIn(y) ?? 0 }
    },
    setPressed: (isPressed) => {
      const { nativeBackgroundAndroid, nativeForegroundAndroid } = context.props()
      const hasRipple = (nativeForegroundAndroid ?? nativeBackgroundAndroid ?? undefined) !== undefined
      if (isPressed !== true) hide()
      else if (hasRipple && shown === undefined) show()
    }
  }
}

/** What lets its children be laid out as if they were its parent's. */
export const transparent: Component = (): Drawing => ({ element: element("view") })

/** A box with a text, for what can't be drawn; children are drawn above it. */
export const labelled = (text: string): HTMLElement => {
  const label = element("name")
  label.textContent = text
  return element("view unknown", label)
}

/** A component that the phone doesn't have: a box of its size, with its name. */
export const unknown: Component = ({ name, notes }): Drawing => {
  notes.missing("component", name)
  const drawn = labelled(name.replace(/^ViewManagerAdapter_/, ""))
  drawn.title = `${name} isn’t there in a browser.`
  return {
    element: drawn,
    childrenChanged: (children) => void drawn.classList.toggle("filled", children.length > 0)
  }
}

/** Who takes a touch: the view itself, its children, both or neither; and how far around itself. */
export const takeTouches = (drawn: Element, props: Fields, before: Fields): void => {
  if (!(drawn instanceof HTMLElement)) return
  if (props["pointerEvents"] !== before["pointerEvents"]) {
    drawn.classList.toggle("box-none", props["pointerEvents"] === "box-none")
    drawn.classList.toggle("box-only", props["pointerEvents"] === "box-only")
  }
  if (props["hitSlop"] !== before["hitSlop"]) {
    const slop = slopText(props["hitSlop"])
    drawn.classList.toggle("slop", slop !== undefined)
    drawn.style.setProperty("--slop", slop ?? "0px")
  }
}

const slopText = (value: unknown): string | undefined => {
  const all = numberIn(value)
  const sides = fieldsIn(value)
  const by = ["top", "right", "bottom", "left"].map((side) => all ?? numberIn(sides[side]) ?? 0)
  return by.some((one) => one > 0) ? by.map((one) => `${-Math.max(0, one)}px`).join(" ") : undefined
}

/**
 * What tests and screen readers find a component by: its `testID` as `data-testid`, its role, name, state and value as
 * ARIA. `ownRole` is the role that it has by itself. Only what is different from before is written: the rest may be what
 * draws it has written itself.
 */
export const describeElement = (drawn: Element, props: Fields, before: Fields, ownRole?: string): void => {
  if (describedProps.every((name) => props[name] === before[name])) return
  const isFirst = Object.keys(before).length === 0
  const old = new Map(attributesOf(before, isFirst ? undefined : ownRole))
  const isField = drawn instanceof HTMLInputElement || drawn instanceof HTMLTextAreaElement
  for (const [name, value] of attributesOf(props, ownRole)) {
    if (value !== old.get(name) && !(isField && name === "tabindex")) writeAttribute(drawn, name, value)
  }
}

const describedProps = [
  "testID nativeID id accessible focusable accessibilityLabel aria-label accessibilityRole role accessibilityState",
  "accessibilityValue accessibilityHint accessibilityElementsHidden aria-hidden importantForAccessibility",
  "accessibilityLiveRegion accessibilityViewIsModal accessibilityLabelledBy accessibilityLanguage aria-checked",
  "aria-disabled aria-selected",
  "aria-expanded aria-busy aria-valuemin aria-valuemax aria-valuenow aria-valuetext"
]
  .join(" ")
  .split(" ")

/** What is said of a component by attributes; of nothing, nothing is. */
const attributesOf = (
  props: Fields,
  ownRole: string | undefined
): ReadonlyArray<readonly [name: string, value: unknown]> => {
  const state = fieldsIn(props["accessibilityState"])
  const value = fieldsIn(props["accessibilityValue"])
  const role = roleOf(props) ?? ownRole
  const live = props["accessibilityLiveRegion"]
  return [
    ["data-testid", props["testID"]],
    ["data-accessible", props["accessible"] === true ? true : undefined],
    ["id", props["nativeID"] ?? props["id"]],
    ["role", role],
    ["lang", props["accessibilityLanguage"]],
    ["aria-label", props["accessibilityLabel"] ?? props["aria-label"]],
    ["aria-description", props["accessibilityHint"]],
    ["aria-labelledby", labelledBy(props["accessibilityLabelledBy"])],
    ...states.map((name) => [`aria-${name}`, state[name] ?? props[`aria-${name}`]] as const),
    ...values.map(([name, from]) => [`aria-${name}`, value[from] ?? props[`aria-${name}`]] as const),
    ["aria-hidden", isHidden(props) ? true : undefined],
    ["aria-modal", props["accessibilityViewIsModal"] === true ? true : undefined],
    ["aria-live", live === "none" ? undefined : live],
    ["tabindex", isReached(props, role) ? 0 : undefined]
  ]
}

const states = ["disabled", "selected", "expanded", "busy", "checked"]

const values = [
  ["valuemin", "min"],
  ["valuemax", "max"],
  ["valuenow", "now"],
  ["valuetext", "text"]
] as const

const roleOf = (props: Fields): string | undefined => {
  const role = textIn(props["role"]) ?? textIn(props["accessibilityRole"])
  return role === undefined ? undefined : (roles[role] ?? role)
}

/** What React Native calls roles, where ARIA has another word for it. */
const roles: Readonly<Record<string, string>> = {
  adjustable: "slider",
  header: "heading",
  image: "img",
  imagebutton: "button",
  keyboardkey: "button",
  none: "presentation",
  pager: "group",
  drawerlayout: "group",
  horizontalscrollview: "group",
  scrollview: "group",
  slidingdrawer: "group",
  iconmenu: "menu",
  dropdownlist: "combobox",
  togglebutton: "button",
  toolbar: "toolbar",
  summary: "region",
  text: "",
  viewgroup: "group",
  webview: "document",
  search: "searchbox"
}

const labelledBy = (value: unknown): string | undefined =>
  textIn(value) ??
  (listIn(value)
    .filter((one) => typeof one === "string")
    .join(" ") ||
    undefined)

const isHidden = (props: Fields): boolean =>
  props["accessibilityElementsHidden"] === true ||
  props["aria-hidden"] === true ||
  props["importantForAccessibility"] === "no-hide-descendants"

/** Whether keys get to it. */
const isReached = (props: Fields, role: string | undefined): boolean => {
  if (props["focusable"] === false) return false
  if (props["focusable"] === true) return true
  return props["accessible"] === true && role !== undefined && isPressable.test(role)
}

const isPressable = /^(?:button|link|checkbox|radio|switch|tab|menuitem|slider)$/

const writeAttribute = (drawn: Element, name: string, value: unknown): void => {
  if (value === undefined || value === null || value === "") drawn.removeAttribute(name)
  else drawn.setAttribute(name, String(value))
}
