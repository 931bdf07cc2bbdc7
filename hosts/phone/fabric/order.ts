import type { Node } from "yoga-layout/load"
import type { Mounted } from "./Mounted.ts"

/** Puts the elements of components into a place of the document, in their order; what lies over all into the root. */
export const placeElements = (host: Element, now: ReadonlyArray<Mounted>, root: HTMLElement): void => {
  let at: ChildNode | null = null
  for (let n = now.length - 1; n >= 0; n -= 1) {
    const child = now[n]
    if (child === undefined) continue
    const { element, node = element } = child.drawing
    if (child.drawing.isOverlay === true) {
      if (element.parentElement !== root) root.append(element)
      continue
    }
    // Only what isn't where it belongs is moved: an element that is moved loses what it scrolled to and the keyboard.
    if (node.parentNode !== host || node.nextSibling !== at) host.insertBefore(node, at)
    at = node
  }
}

/** Gives a node of Yoga's the children that it has now. */
export const placeNodes = (node: Node, old: ReadonlyArray<Mounted>, now: ReadonlyArray<Mounted>): void => {
  // Yoga forgets what it has computed of a child that is taken out: on a phone those that stay in their order keep it.
  const [before, after] = [new Set(old), new Set(now)]
  const stayed = old.filter((child) => after.has(child))
  const staying = now.filter((child) => before.has(child))
  let same = 0
  while (same < stayed.length && stayed[same] === staying[same]) same += 1
  for (const child of stayed.slice(same)) if (child.layout !== undefined) node.removeChild(child.layout)
  const kept = new Set(stayed.slice(0, same))
  for (const [at, child] of now.entries()) {
    if (child.layout !== undefined && !kept.has(child)) node.insertChild(child.layout, at)
  }
}
