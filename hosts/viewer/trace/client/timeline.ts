import { areMany, barsOf, positionOf, rowHeight, rowsOf, timelineWidth } from "../bars.ts"
import type { Step } from "../steps.ts"
import { part } from "../../ui/dom.ts"

const rectangle = (facts: Readonly<Record<string, string | number>>): SVGRectElement => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "rect")
  for (const [name, value] of Object.entries(facts)) element.setAttribute(name, String(value))
  return element
}

/** Redraws a timeline, as the server drew it, with the steps and the length of the run that are known now. */
export const drawTimeline = (
  svg: SVGSVGElement,
  steps: ReadonlyArray<Step>,
  shots: ReadonlyArray<number>,
  length: number
): void => {
  const bars = barsOf(steps, length)
  const height = rowsOf(bars) * rowHeight
  svg.classList.toggle("many", areMany(bars))
  svg.setAttribute("viewBox", `0 0 ${timelineWidth} ${height}`)
  part(svg, ".bars", SVGGElement).replaceChildren(
    ...bars.map(({ mark, row, width, x }) =>
      rectangle({ class: mark, x, y: row * rowHeight, width, height: rowHeight - 2 })
    )
  )
  part(svg, ".shots", SVGGElement).replaceChildren(
    ...shots.map((t) => rectangle({ x: positionOf(t, length) - 1, y: height - 3, width: 2, height: 3 }))
  )
}
