import { listIn, numberIn, type Fields } from "../runtime/decode.ts"
import { reading } from "../runtime/device.ts"
import { element } from "./element.ts"

/** The most places of one list that are marked. */
const most = 2000

/** Whether a list is horizontal: its style has that on every platform. */
export const isHorizontal = (props: Fields): boolean => props["horizontal"] === true || props["flexDirection"] === "row"

/** Whether a list stops at places; where they are depends on how large it is. */
export const canSnap = (props: Fields): boolean =>
  props["pagingEnabled"] === true || props["snapToInterval"] !== undefined || props["snapToOffsets"] !== undefined

/** How far before the place of an interval a list stops, by `snapToAlignment`. */
const leads: Readonly<Record<string, (page: number, interval: number) => number>> = {
  center: (page, interval) => (page - interval) / 2,
  end: (page, interval) => page - interval
}

/** Where a list stops to be scrolled, in points from its beginning; `undefined` where it stops anywhere. */
const snapOffsets = (props: Fields, page: number, content: number): ReadonlyArray<number> | undefined => {
  const end = Math.max(0, content - page)
  const within = (offset: number): number => Math.max(0, Math.min(end, offset))
  const given = listIn(props["snapToOffsets"]).flatMap((one) => numberIn(one) ?? [])
  if (given.length > 0) {
    // A list stops at its beginning and its end as well, unless a property turns that off.
    const [first, last] = [props["snapToStart"] === false ? [] : [0], props["snapToEnd"] === false ? [] : [end]]
    return [...new Set([...first, ...given.slice(0, most).map(within), ...last])]
  }
  const isPaged = props["pagingEnabled"] === true
  const interval = numberIn(props["snapToInterval"]) ?? (isPaged ? page : 0)
  if (interval <= 0) return undefined
  const lead = isPaged ? 0 : (leads[String(props["snapToAlignment"])]?.(page, interval) ?? 0)
  const count = Math.min(most, Math.ceil(content / interval))
  return [...new Set(Array.from({ length: count }, (_, n) => within(n * interval - lead)))]
}

/** The parts of a list in which it stops anywhere: before the first of its places, or after the last. */
const freeParts = (props: Fields, offsets: ReadonlyArray<number>, end: number) => [
  ...(props["snapToStart"] === false ? [{ from: 0, to: Math.min(...offsets) }] : []),
  ...(props["snapToEnd"] === false ? [{ from: Math.max(...offsets), to: end }] : [])
]

/** Where a list that is let go comes to rest, if it would come so far: at the nearest of its places. */
export const snapped = (props: Fields, aim: number, page: number, content: number): number => {
  const offsets = snapOffsets(props, page, content)
  if (offsets === undefined) return aim
  const isFree = freeParts(props, offsets, content - page).some(({ from, to }) => aim > from && aim < to)
  const nearest = (best: number, one: number) => (Math.abs(one - aim) < Math.abs(best - aim) ? one : best)
  return isFree ? aim : offsets.reduce(nearest, offsets[0] ?? aim)
}

/**
 * Has the browser stop at places: it does so for wheels, fingers and keys alike. They are marked in the content by
 * elements of no size.
 */
export const makeSnapping = (drawn: HTMLElement) => {
  const marks = element("marks")
  marks.style.cssText = "position:absolute;top:0;inset-inline-start:0;width:0;height:0;pointer-events:none"
  let known = ""

  return {
    set: (props: Fields, page: number, content: number): void => {
      const isAcross = isHorizontal(props)
      const offsets = snapOffsets(props, page, content)
      const parts = offsets === undefined ? [] : freeParts(props, offsets, content - page)
      const next = JSON.stringify([offsets, isAcross, parts])
      if (next === known) return
      known = next
      const stop = props["disableIntervalMomentum"] === true || props["pagingEnabled"] === true ? "always" : "normal"
      drawn.style.scrollSnapType = offsets === undefined ? "" : `${isAcross ? "x" : "y"} mandatory`
      if (offsets === undefined) {
        marks.remove()
        return
      }
      const mark = (from: number, to: number): HTMLElement => {
        const made = element("")
        const place = isAcross
          ? `${reading.isRtl ? "right" : "left"}:${from}px;width:${to - from}px`
          : `top:${from}px;height:${to - from}px`
        made.style.cssText = `position:absolute;${place};scroll-snap-align:start;scroll-snap-stop:${stop}`
        return made
      }
      // A place at the edge of such a part isn't marked again: of marks that lie in one another only the inner one counts.
      const isEdge = (offset: number): boolean => parts.some(({ from, to }) => offset === from || offset === to)
      const marked = offsets.filter((offset) => !isEdge(offset))
      marks.replaceChildren(
        ...marked.map((offset) => mark(offset, offset + page)),
        // What is longer than a page can be scrolled to wherever the page lies within it.
        ...parts.map(({ from, to }) => mark(from, to + page))
      )
      if (marks.parentElement !== drawn) drawn.append(marks)
    }
  }
}
