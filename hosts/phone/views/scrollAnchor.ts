import { fieldsIn, numberIn, type Fields } from "../runtime/decode.ts"
import { isHorizontal } from "./snapping.ts"

/** Keeps what is seen of a list where it is when something is put before it: `maintainVisibleContentPosition`. */
export const makeScrollAnchor = (drawn: HTMLElement) => {
  let seen: { readonly row: HTMLElement; readonly at: number } | undefined

  const placeOf = (row: HTMLElement, props: Fields): number => (isHorizontal(props) ? row.offsetLeft : row.offsetTop)

  return {
    /** Remembers the first row that is seen. */
    look: (content: Element, props: Fields): void => {
      const least = numberIn(fieldsIn(props["maintainVisibleContentPosition"])["minIndexForVisible"])
      seen = undefined
      if (least === undefined) return
      const [scrolled, length] = isHorizontal(props)
        ? ([drawn.scrollLeft, "offsetWidth"] as const)
        : ([drawn.scrollTop, "offsetHeight"] as const)
      for (const row of Array.from(content.children).slice(least)) {
        if (!(row instanceof HTMLElement) || placeOf(row, props) + row[length] <= scrolled) continue
        seen = { row, at: placeOf(row, props) }
        return
      }
    },
    /** Puts that row back to where it was seen. */
    keep: (props: Fields): void => {
      if (seen === undefined || !seen.row.isConnected) return
      const by = placeOf(seen.row, props) - seen.at
      if (by === 0) return
      const near = numberIn(fieldsIn(props["maintainVisibleContentPosition"])["autoscrollToTopThreshold"])
      const scrolled = isHorizontal(props) ? drawn.scrollLeft : drawn.scrollTop
      const [left, top] = isHorizontal(props) ? [by, 0] : [0, by]
      drawn.scrollBy({ left, top, behavior: "instant" })
      if (near !== undefined && scrolled <= near) drawn.scrollTo({ left: 0, top: 0, behavior: "smooth" })
    }
  }
}
