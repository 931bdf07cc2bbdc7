/** A part of a picture, in pixels. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Pixels that are nearer than this belong together. */
const cell = 12

/** How many pixels of a cell have to be marked. Fewer are noise. */
const fewest = 3

/** The parts of a picture that are marked: `mask` has four bytes a pixel, of which the last one marks it. */
export const boxesOf = (mask: Uint8ClampedArray, width: number, height: number): ReadonlyArray<Box> => {
  const columns = Math.ceil(width / cell)
  const rows = Math.ceil(height / cell)
  const counts = new Uint16Array(columns * rows)
  for (let index = 0; index < width * height; index += 1) {
    if (mask[index * 4 + 3] === 0) continue
    const at = Math.floor(Math.floor(index / width) / cell) * columns + Math.floor((index % width) / cell)
    counts[at] = (counts[at] ?? 0) + 1
  }
  const marked = new Set([...counts.keys()].filter((at) => (counts[at] ?? 0) >= fewest))
  const boxes: Array<Box> = []
  for (const first of marked) {
    // Every marked cell that touches another one of the same box, or is two columns away: the digit between may be equal.
    let [left, right, top, bottom] = [columns, 0, rows, 0]
    const open = [first]
    marked.delete(first)
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const [x, y] = [at % columns, Math.floor(at / columns)]
      ;[left, right] = [Math.min(left, x), Math.max(right, x)]
      ;[top, bottom] = [Math.min(top, y), Math.max(bottom, y)]
      for (const [dx, dy] of neighbours) {
        const next = at + dy * columns + dx
        if (x + dx < 0 || x + dx >= columns || !marked.delete(next)) continue
        open.push(next)
      }
    }
    boxes.push({
      x: left * cell,
      y: top * cell,
      width: Math.min((right - left + 1) * cell, width - left * cell),
      height: Math.min((bottom - top + 1) * cell, height - top * cell)
    })
  }
  return boxes
}

const neighbours = [-1, 0, 1].flatMap((dy) => [-2, -1, 0, 1, 2].map((dx) => [dx, dy] as const))
