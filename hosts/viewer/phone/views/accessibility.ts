import { fieldsIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import type { Fields } from "../runtime/decode.ts"

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

const states = ["disabled", "selected", "expanded", "busy"]

const watched = [
  "testID nativeID id accessible focusable accessibilityLabel aria-label accessibilityRole role accessibilityState",
  "accessibilityValue accessibilityHint accessibilityElementsHidden aria-hidden importantForAccessibility",
  "accessibilityLiveRegion accessibilityViewIsModal accessibilityLabelledBy aria-checked aria-disabled aria-selected",
  "aria-expanded aria-busy aria-valuemin aria-valuemax aria-valuenow aria-valuetext"
]
  .join(" ")
  .split(" ")

const set = (drawn: Element, name: string, value: unknown): void => {
  if (value === undefined || value === null || value === "") drawn.removeAttribute(name)
  else drawn.setAttribute(name, String(value))
}

const roleOf = (props: Fields): string | undefined => {
  const role = textIn(props["role"]) ?? textIn(props["accessibilityRole"])
  return role === undefined ? undefined : (roles[role] ?? role)
}

const labelledBy = (value: unknown): string | undefined =>
  textIn(value) ??
  (listIn(value)
    .filter((one) => typeof one === "string")
    .join(" ") ||
    undefined)

/**
 * What tests and screen readers find a component by: its `testID` as `data-testid`, its role, name, state and value as
 * ARIA. `own` is the role that it has by itself.
 */
export const describeElement = (drawn: Element, props: Fields, before: Fields, own?: string): void => {
  if (watched.every((name) => props[name] === before[name])) return
  const state = fieldsIn(props["accessibilityState"])
  const value = fieldsIn(props["accessibilityValue"])
  const role = roleOf(props) ?? own
  set(drawn, "data-testid", props["testID"])
  set(drawn, "id", props["nativeID"] ?? props["id"])
  set(drawn, "role", role)
  set(drawn, "aria-label", props["accessibilityLabel"] ?? props["aria-label"])
  set(drawn, "aria-description", props["accessibilityHint"])
  set(drawn, "aria-labelledby", labelledBy(props["accessibilityLabelledBy"]))
  for (const name of states) set(drawn, `aria-${name}`, state[name] ?? props[`aria-${name}`])
  const checked = state["checked"] ?? props["aria-checked"]
  if (own === undefined || checked !== undefined) set(drawn, "aria-checked", checked)
  for (const [name, from] of [
    ["valuemin", "min"],
    ["valuemax", "max"],
    ["valuenow", "now"],
    ["valuetext", "text"]
  ] as const) {
    set(drawn, `aria-${name}`, value[from] ?? props[`aria-${name}`])
  }
  const isHidden =
    props["accessibilityElementsHidden"] === true ||
    props["aria-hidden"] === true ||
    props["importantForAccessibility"] === "no-hide-descendants"
  set(drawn, "aria-hidden", isHidden ? true : undefined)
  set(drawn, "aria-modal", props["accessibilityViewIsModal"] === true ? true : undefined)
  const live = props["accessibilityLiveRegion"]
  set(drawn, "aria-live", live === "none" ? undefined : live)
  if (drawn instanceof HTMLInputElement || drawn instanceof HTMLTextAreaElement) return
  const isPressable = role !== undefined && /^(?:button|link|checkbox|radio|switch|tab|menuitem|slider)$/.test(role)
  const isReached = (props["focusable"] === true || props["accessible"] === true) && props["focusable"] !== false
  set(drawn, "tabindex", isReached && (isPressable || props["focusable"] === true) ? numberIn(0) : undefined)
}
