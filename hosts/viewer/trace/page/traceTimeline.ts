import { html, type Html } from "../../ui/html.ts"
import { areMany, barsOf, positionOf, rowHeight, rowsOf, timelineWidth } from "../bars.ts"
import type { Step } from "../steps.ts"

/** Steps on a line as long as the run, and a mark for each moment of which there is a picture. */
export const timeline = (steps: ReadonlyArray<Step>, shots: ReadonlyArray<number>, length: number): Html => {
  const bars = barsOf(steps, length)
  const height = rowsOf(bars) * rowHeight
  return html`<svg
    class="timeline${areMany(bars) ? " many" : ""}"
    viewBox="0 0 ${timelineWidth} ${height}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <g class="bars">
      ${bars.map(
        ({ mark, row, width, x }) =>
          html`<rect class="${mark}" x="${x}" y="${row * rowHeight}" width="${width}" height="${rowHeight - 2}" />`
      )}
    </g>
    <g class="shots">
      ${shots.map((t) => html`<rect x="${positionOf(t, length) - 1}" y="${height - 3}" width="2" height="3" />`)}
    </g>
  </svg>`
}
