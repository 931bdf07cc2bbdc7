/** What a screen reader finds of an app: of a phone's too, because its accessibility is drawn as ARIA. */
import { pressableAround, textsOf } from "../../../phone/flows/elements.ts"

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

export const roleOf = (element: Element): string => element.getAttribute("role") ?? roles[element.tagName] ?? ""

export const nameOf = (element: Element): string => {
  const labels = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter((id) => id !== "")
  const [name] =
    labels.length === 0
      ? textsOf(element)
      : [labels.map((id) => document.getElementById(id)?.textContent ?? "").join(" ")]
  return name ?? element.getAttribute("alt") ?? ""
}

const said = /^aria-(?:busy|checked|current|description|disabled|expanded|hidden|level|live|modal|selected|value\w+)$/

/** Its states and values, as ARIA names them. */
export const statesOf = (element: Element): ReadonlyArray<readonly [name: string, value: string]> =>
  [...element.attributes]
    .filter(({ name }) => said.test(name))
    .map(({ name, value }) => [name.slice("aria-".length), value] as const)

/** Whether a screen reader stops at it. */
export const isReached = (element: Element): boolean => {
  const role = roleOf(element)
  if (role === "presentation") return false
  return role !== "" || nameOf(element) !== "" || pressableAround(element) === element
}

/** Whether it and all that stands in it is hidden from screen readers. */
const isHidden = (element: Element): boolean =>
  element.matches("[aria-hidden=true], [hidden], .gone, script, style, template") ||
  getComputedStyle(element).display === "none"

/** The nearest below an element at which a screen reader stops. What stands in one that is pressed as a whole isn't there. */
export const reachedBelow = (element: Element): ReadonlyArray<Element> =>
  element !== document.body && pressableAround(element) === element
    ? []
    : [...element.children]
        .filter((child) => !isHidden(child))
        .flatMap((child) => (isReached(child) ? [child] : reachedBelow(child)))
