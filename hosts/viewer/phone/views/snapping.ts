import { listIn, numberIn } from "../runtime/decode.ts"
import type { Fields } from "../runtime/decode.ts"
import { element } from "./element.ts"

/** The most places of one list that are marked. */
const most = 2000

/** Whether a list is scrolled sideways: its own style says so, on every platform. */
export const isHorizontal = (props: Fields): boolean => props["horizontal"] === true || props["flexDirection"] === "row"

/** Whether a list stops at places; where they are depends on how large it is. */
export const canSnap = (props: Fields): boolean =>
  props["pagingEnabled"] === true || props["snapToInterval"] !== undefined || props["snapToOffsets"] !== undefined

/** Where a list stops to be scrolled, in points from its beginning; `undefined` where it stops anywhere. */
export const snapOffsets = (props: Fields, page: number, content: number): ReadonlyArray<number> | undefined => {
  const given = listIn(props["snapToOffsets"]).flatMap((one) => numberIn(one) ?? [])
  if (given.length > 0) return given.slice(0, most)
  const interval = numberIn(props["snapToInterval"]) ?? (props["pagingEnabled"] === true ? page : 0)
  if (interval <= 0) return undefined
  return Array.from({ length: Math.min(most, Math.ceil(content / interval)) }, (_, n) => n * interval)
}

const alignments: Readonly<Record<string, string>> = { start: "start", center: "center", end: "end" }

/**
 * Has the browser stop at places: it does so for wheels, fingers and keys alike. They are marked in the content by
 * elements of no size.
 */
export const makeSnapping = (drawn: HTMLElement) => {
  const marks = element("marks")
  marks.style.cssText = "position:absolute;top:0;left:0;width:0;height:0;pointer-events:none"
  let known = ""

  return {
    set: (props: Fields, page: number, content: number): void => {
      const isAcross = isHorizontal(props)
      const offsets = snapOffsets(props, page, content)
      const alignment = alignments[String(props["snapToAlignment"])] ?? "start"
      const next = JSON.stringify([offsets, isAcross, alignment])
      if (next === known) return
      known = next
      const stop = props["disableIntervalMomentum"] === true || props["pagingEnabled"] === true ? "always" : "normal"
      drawn.style.scrollSnapType = offsets === undefined ? "" : `${isAcross ? "x" : "y"} mandatory`
      if (offsets === undefined) {
        marks.remove()
        return
      }
      marks.replaceChildren(
        ...offsets.map((offset) => {
          const mark = element("")
          // A snap is of the place at which the content begins, whatever its alignment, so the mark is a page long.
          const place = isAcross ? `left:${offset}px;width:${page}px` : `top:${offset}px;height:${page}px`
          mark.style.cssText = `position:absolute;${place};scroll-snap-align:${alignment};scroll-snap-stop:${stop}`
          return mark
        })
      )
      if (marks.parentElement !== drawn) drawn.append(marks)
    }
  }
}
