/** An element that the page always has. */
export const part = <E extends Element>(root: ParentNode, selector: string, type: new () => E): E => {
  const found = root.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`)
  return found
}

/** Every element of a type that fits. */
export const parts = <E extends Element>(root: ParentNode, selector: string, type: new () => E): ReadonlyArray<E> =>
  [...root.querySelectorAll(selector)].filter((found): found is E => found instanceof type)

/** A new element. Its text is never parsed as HTML. */
export const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = "",
  text = ""
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

/** Sets only what has changed, so that the browser doesn't redraw the rest. */
export const setText = (element: Element, text: string): void => {
  if (element.textContent !== text) element.textContent = text
}

/** Marks one of two elements as that of the moment. */
export const markCurrent = (before: Element | undefined, now: Element | undefined, value: string): void => {
  if (before === now) return
  before?.removeAttribute("aria-current")
  now?.setAttribute("aria-current", value)
}

/** Brings an element into view within its list, where that scrolls; the page stays where it is. */
export const bringIntoView = (list: HTMLElement, element: HTMLElement): void => {
  const [outer, inner] = [list.getBoundingClientRect(), element.getBoundingClientRect()]
  if (inner.top < outer.top) list.scrollTop -= outer.top - inner.top
  else if (inner.bottom > outer.bottom) list.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - outer.top)
}

/** Runs `act` before the next frame is drawn: once, however often it was asked for. */
export const onceAFrame = (act: () => void): (() => void) => {
  let asked = false
  return () => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      act()
    })
  }
}

/** The beginning of a text, without splitting a character. */
export const beginning = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`

/** The data that a page passes to its script. */
export const dataOf = <A>(id: string): A => JSON.parse(part(document, `#${id}`, HTMLScriptElement).text)
