/**
 * Draws docs/drawings/*.txt as SVG files for light and dark pages: `node .config/drawings.ts`. A drawing has one of two forms.
 *
 * - `boxes`: `ci 0,1 CI job | slipway-ci` is a box in column 0 and row 1 with two lines of text. `ci -> host: results` is an
 *   arrow, and `ci => store: bytes` an emphasized one.
 * - `sequence`: `ci CI job` is a column, and each arrow is a row, in order. `ci: text` is a note in a column.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

interface Box {
  readonly id: string
  readonly column: number
  readonly row: number
  readonly lines: ReadonlyArray<string>
}

interface Arrow {
  readonly from: string
  readonly to: string
  readonly isStrong: boolean
  readonly text: string
}

const style = `
  svg { font: 15px system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif }
  rect { fill: #f3f6fa; stroke: #57606a } text { fill: #1f2328; text-anchor: middle } .small { fill: #57606a; font-size: 13px }
  .label { font-size: 13px; stroke: #fff; stroke-width: 5px; paint-order: stroke } .head { font-weight: 600 }
  path, line { stroke: #57606a; fill: none; stroke-width: 1.5 } .strong { stroke: #0969da; stroke-width: 3 }
  .life { stroke-dasharray: 3 5 } .tip { fill: #57606a; stroke: none } .strong-tip { fill: #0969da; stroke: none }
  @media (prefers-color-scheme: dark) {
    rect { fill: #1c2128; stroke: #9198a1 } text { fill: #f0f6fc } .small { fill: #9198a1 } .label { stroke: #0d1117 }
    path, line { stroke: #9198a1 } .strong { stroke: #4493f8 } .tip { fill: #9198a1 } .strong-tip { fill: #4493f8 }
  }
`.trim()

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const round = (value: number): number => Math.round(value * 10) / 10
const textAt = (x: number, y: number, text: string, of: string): string =>
  `<text x="${round(x)}" y="${round(y)}" class="${of}">${escaped(text)}</text>`

/** A line with a tip, and its text beside the middle. */
const arrowBetween = (x1: number, y1: number, x2: number, y2: number, { isStrong }: Arrow): string => {
  const length = Math.hypot(x2 - x1, y2 - y1)
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length]
  const corner = (side: number) => `${round(x2 - dx * 11 - dy * 5 * side)} ${round(y2 - dy * 11 + dx * 5 * side)}`
  const of = isStrong ? "strong" : "thin"
  const line = `M${round(x1)} ${round(y1)}L${round(x2 - dx * 8)} ${round(y2 - dy * 8)}`
  const tip = `M${round(x2)} ${round(y2)}L${corner(1)}L${corner(-1)}Z`
  return `<path class="${of}" d="${line}"/><path class="${isStrong ? "strong-tip" : "tip"}" d="${tip}"/>`
}

const document = (title: string, width: number, height: number, parts: ReadonlyArray<string>): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
  ${style}
</style>
${parts.join("\n")}
</svg>
`

const boxWidth = 204
const boxHeight = 74
const columnWidth = 350
const rowHeight = 150
const margin = 10

const linesIn = (x: number, y: number, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((text, index) =>
    textAt(x, y + 5 + (index - (lines.length - 1) / 2) * 19, text, index === 0 ? "head" : "small")
  )

/** Where a line between the centers of two boxes leaves the first one. */
const edge = (x1: number, y1: number, x2: number, y2: number): readonly [number, number] => {
  const scale = Math.min(
    (boxWidth / 2 + 3) / Math.max(1, Math.abs(x2 - x1)),
    (boxHeight / 2 + 3) / Math.max(1, Math.abs(y2 - y1))
  )
  return [x1 + (x2 - x1) * scale, y1 + (y2 - y1) * scale]
}

const drawBoxes = (title: string, boxes: ReadonlyArray<Box>, arrows: ReadonlyArray<Arrow>): string => {
  const centers = new Map(
    boxes.map(({ column, id, row }): readonly [string, readonly [number, number]] => [
      id,
      [margin + boxWidth / 2 + column * columnWidth, margin + boxHeight / 2 + row * rowHeight]
    ])
  )
  const centerOf = (id: string) => {
    const center = centers.get(id)
    if (center === undefined) throw new Error(`The drawing "${title}" has no box ${id}.`)
    return center
  }
  const drawnArrows = arrows.flatMap((arrow) => {
    const [from, to] = [centerOf(arrow.from), centerOf(arrow.to)]
    const [x1, y1] = edge(...from, ...to)
    const [x2, y2] = edge(...to, ...from)
    const lines = arrow.text.split(" | ")
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2]
    const above = y1 === y2 ? -10 - (lines.length - 1) * 17 : 5 - ((lines.length - 1) * 17) / 2
    return [
      arrowBetween(x1, y1, x2, y2, arrow),
      ...lines.map((text, index) => textAt(x, y + above + index * 17, text, "label"))
    ]
  })
  const drawnBoxes = boxes.flatMap(({ id, lines }) => {
    const [x, y] = centerOf(id)
    const corner = `x="${x - boxWidth / 2}" y="${y - boxHeight / 2}"`
    return [`<rect ${corner} width="${boxWidth}" height="${boxHeight}" rx="8"/>`, ...linesIn(x, y, lines)]
  })
  const columns = Math.max(...boxes.map(({ column }) => column))
  const rows = Math.max(...boxes.map(({ row }) => row))
  const width = 2 * margin + boxWidth + columns * columnWidth
  return document(title, width, 2 * margin + boxHeight + rows * rowHeight, [...drawnArrows, ...drawnBoxes])
}

const drawSequence = (
  title: string,
  columns: ReadonlyArray<readonly [id: string, lines: ReadonlyArray<string>]>,
  steps: ReadonlyArray<Arrow>
): string => {
  const ids = columns.map(([id]) => id)
  const step = 46
  const top = margin + boxHeight
  const xOf = (id: string) => margin + boxWidth / 2 + ids.indexOf(id) * columnWidth
  const bottom = top + (steps.length + 0.6) * step
  const parts = [
    ...columns.flatMap(([id, lines]) => [
      `<line class="life" x1="${xOf(id)}" y1="${top}" x2="${xOf(id)}" y2="${round(bottom)}"/>`,
      `<rect x="${xOf(id) - boxWidth / 2}" y="${margin}" width="${boxWidth}" height="${boxHeight}" rx="8"/>`,
      ...linesIn(xOf(id), margin + boxHeight / 2, lines)
    ]),
    ...steps.flatMap((arrow, index) => {
      const y = top + (index + 1) * step
      const [x1, x2] = [xOf(arrow.from), xOf(arrow.to)]
      if (arrow.from === arrow.to) return [textAt(x1, y + 5, arrow.text, "label")]
      return [arrowBetween(x1, y, x2, y, arrow), textAt((x1 + x2) / 2, y - 8, arrow.text, "label")]
    })
  ]
  return document(title, 2 * margin + boxWidth + (columns.length - 1) * columnWidth, Math.ceil(bottom) + margin, parts)
}

/** The SVG of a drawing's text. */
export const draw = (text: string): string => {
  const [form = "", title = "", ...lines] = text.split("\n").filter((line) => line.trim() !== "")
  const arrows = lines.flatMap((line): ReadonlyArray<Arrow> => {
    const [, from = "", kind = "", to = from, label] = /^(\w+)(?: (->|=>) (\w+))?: (.*)$/.exec(line) ?? []
    return label === undefined ? [] : [{ from, to, isStrong: kind === "=>", text: label }]
  })
  if (form === "sequence") {
    const columns = lines.flatMap((line): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
      const [, id = "", label] = /^(\w+) ([^->=:].*)$/.exec(line) ?? []
      return label === undefined ? [] : [[id, label.split(" | ")]]
    })
    return drawSequence(title, columns, arrows)
  }
  const boxes = lines.flatMap((line): ReadonlyArray<Box> => {
    const [, id = "", column, row, label] = /^(\w+) (\d+),(\d+) (.*)$/.exec(line) ?? []
    return label === undefined ? [] : [{ id, column: Number(column), row: Number(row), lines: label.split(" | ") }]
  })
  return drawBoxes(title, boxes, arrows)
}

const folder = join(import.meta.dirname, "../docs/drawings")

/** Each drawing's SVG file, with what it should contain. */
export const drawings = (): ReadonlyArray<readonly [file: string, svg: string]> =>
  globSync("*.txt", { cwd: folder })
    .toSorted()
    .map((name) => [join(folder, name.replace(/txt$/, "svg")), draw(readFileSync(join(folder, name), "utf8"))])

if (import.meta.main) for (const [file, svg] of drawings()) writeFileSync(file, svg)
