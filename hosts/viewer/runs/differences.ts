/** Where two screens differ: their rows are aligned, and the pixels that differ get outlines. */
import pixelmatch from "pixelmatch"

/** Where a picture differs from another one: in pixels of a picture of `width` by `height`. */
export interface Marked {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyArray<Box>
}

/** Where two pictures differ. */
export interface Differences {
  readonly left: Marked
  readonly right: Marked
  /** How many areas differ. An area that both pictures have counts once. */
  readonly areas: number
  /** The share of pixels that differ. */
  readonly share: number
}

/** Wider pictures are compared at this width. */
const maxWidth = 800

/** How far two colors may differ, of 1: compressed pictures are never quite the same. */
const threshold = 0.15

/** Fewer rows than these that only one picture has are noise. */
const fewestRows = 4

/** The pixels of a part of a picture, as high as `height`. */
const drawn = (picture: ImageBitmap, top: number, rows: number, width: number, height: number): Uint8ClampedArray => {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })
  if (context === null) throw new Error("no canvas")
  context.drawImage(picture, 0, top, picture.width, rows, 0, 0, width, height)
  return context.getImageData(0, 0, width, height).data
}

/** What is between aligned rows on one side, as boxes of the full width. */
const between = (
  aligned: ReadonlyArray<Aligned>,
  side: "left" | "right",
  width: number,
  height: number
): ReadonlyArray<Box> => {
  const ends = [0, ...aligned.map((rows) => rows[side] + rows.count)]
  return [...aligned.map((rows) => rows[side]), height].flatMap((y, index) => {
    const from = ends[index] ?? 0
    return y - from < fewestRows ? [] : [{ x: 0, y: from, width, height: y - from }]
  })
}

/** Compares two pictures, scaled to the same width. Content that is only further up or down is the same. */
export const differences = (left: ImageBitmap, right: ImageBitmap): Differences => {
  const full = Math.min(left.width, right.width)
  const heightOf = (picture: ImageBitmap) => Math.round((full * picture.height) / picture.width)
  const [leftHeight, rightHeight] = [heightOf(left), heightOf(right)]
  const rows = (picture: ImageBitmap, height: number) =>
    rowsOf(drawn(picture, 0, picture.height, full, height), full, height)
  const aligned = alignRows(rows(left, leftHeight), rows(right, rightHeight))

  const width = Math.min(full, maxWidth)
  const scale = full / width
  const onLeft = [...between(aligned, "left", full, leftHeight)]
  const onRight = [...between(aligned, "right", full, rightHeight)]
  let [areas, pixels] = [onLeft.length + onRight.length, 0]
  for (const box of [...onLeft, ...onRight]) pixels += box.height * full
  for (const { count, left: ofLeft, right: ofRight } of aligned) {
    const height = Math.ceil(count / scale)
    const part = (picture: ImageBitmap, top: number) => {
      const rows = picture.width / full
      return drawn(picture, top * rows, count * rows, width, height)
    }
    const mask = new Uint8ClampedArray(width * height * 4)
    const options = { threshold, diffMask: true }
    pixels +=
      pixelmatch(part(left, ofLeft), part(right, ofRight), mask, width, height, options) * scale * (count / height)
    const boxes = boxesOf(mask, width, height).map((box) => ({
      x: box.x * scale,
      y: (box.y * count) / height,
      width: box.width * scale,
      height: (box.height * count) / height
    }))
    areas += boxes.length
    onLeft.push(...boxes.map((box) => ({ ...box, y: box.y + ofLeft })))
    onRight.push(...boxes.map((box) => ({ ...box, y: box.y + ofRight })))
  }
  return {
    left: { width: full, height: leftHeight, boxes: onLeft },
    right: { width: full, height: rightHeight, boxes: onRight },
    areas,
    share: pixels / (full * Math.max(leftHeight, rightHeight))
  }
}

/** A part of a picture, in pixels. */
interface Box {
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

/** How bright a picture is: `cells` values for each of its rows. */
export interface Rows {
  readonly count: number
  readonly brightness: Uint8Array
}

/** Rows of one picture, and the equally many rows of the other that show the same place of the content. */
interface Aligned {
  readonly left: number
  readonly right: number
  readonly count: number
}

/** How many values describe a row. */
const cells = 32

/** Compressed pictures are never quite the same. */
const tolerance = 10

/** The rows of a picture with four bytes a pixel. */
export const rowsOf = (pixels: Uint8ClampedArray, width: number, count: number): Rows => {
  const brightness = new Uint8Array(count * cells)
  const columns = Array.from({ length: cells + 1 }, (_, cell) => Math.floor((cell * width) / cells))
  for (let row = 0; row < count; row += 1) {
    for (let cell = 0; cell < cells; cell += 1) {
      const [from = 0, to = 0] = [columns[cell], columns[cell + 1]]
      let sum = 0
      for (let at = (row * width + from) * 4; at < (row * width + to) * 4; at += 4) {
        sum += (pixels[at] ?? 0) * 0.3 + (pixels[at + 1] ?? 0) * 0.6 + (pixels[at + 2] ?? 0) * 0.1
      }
      brightness[row * cells + cell] = sum / Math.max(to - from, 1)
    }
  }
  return { count, brightness }
}

/** The share of cells in which two rows differ. At more than `most` cells the rest isn't looked at. */
const mismatch = (left: Rows, i: number, right: Rows, j: number, most: number = cells): number => {
  let differing = 0
  for (let cell = 0; cell < cells && differing <= most; cell += 1) {
    const difference = (left.brightness[i * cells + cell] ?? 0) - (right.brightness[j * cells + cell] ?? 0)
    if (Math.abs(difference) > tolerance) differing += 1
  }
  return differing / cells
}

const isPlain = ({ brightness }: Rows, row: number): boolean => {
  const values = brightness.subarray(row * cells, (row + 1) * cells)
  return values.every((value) => Math.abs(value - (values[0] ?? 0)) <= tolerance)
}

/** How many shifts are tried beside none, and which ones count as the same. */
const maxShifts = 12
const nearby = 3
/** One in so many rows votes for the shifts by which the other picture has the same row, if at most so many cells differ. */
const votingRow = 3
const mostDiffering = 2

/** The vertical shifts by which most rows of the left picture are in the right one, and none, in ascending order. */
const likelyShifts = (left: Rows, right: Rows): ReadonlyArray<number> => {
  const votes = new Uint32Array(left.count + right.count)
  for (let i = 0; i < left.count; i += votingRow) {
    if (isPlain(left, i)) continue
    for (let j = 0; j < right.count; j += 1) {
      if (mismatch(left, i, right, j, mostDiffering) * cells > mostDiffering) continue
      votes[j - i + left.count] = (votes[j - i + left.count] ?? 0) + 1
    }
  }
  const shifts = new Set([0, right.count - left.count])
  for (let round = 0; round < maxShifts; round += 1) {
    const most = votes.reduce((best, count, at) => (count > (votes[best] ?? 0) ? at : best), 0)
    if (votes[most] === 0) break
    shifts.add(most - left.count)
    votes.fill(0, Math.max(most - nearby, 0), most + nearby + 1)
  }
  return [...shifts].toSorted((a, b) => a - b)
}

/** What a change of the shift costs, as a share of all rows and for each row that it leaves out. A row that differs costs 1. */
const changeCost = 0.015
const leftOutCost = 0.5

/** The cheapest way through both pictures, as the shift of each row of the left one that has a row in the right one. */
const cheapest = (left: Rows, right: Rows, shifts: ReadonlyArray<number>): ReadonlyArray<number | undefined> => {
  const perChange = changeCost * left.count
  // For each shift: what it costs to be there after so many rows of the left picture, and the index of the shift before.
  const costs = shifts.map(() => new Float64Array(left.count + 1).fill(Infinity))
  const before = shifts.map(() => new Int8Array(left.count + 1).fill(-1))
  const at = (index: number) => shifts[index] ?? 0
  const set = (to: number, i: number, cost: number, from: number): void => {
    const [ofCosts, ofBefore] = [costs[to], before[to]]
    if (ofCosts === undefined || ofBefore === undefined || !(cost < (ofCosts[i] ?? 0))) return
    ofCosts[i] = cost
    ofBefore[i] = from
  }
  /** Changes leave out rows of the left picture, if the shift shrinks, and else rows of the right one. */
  const rowBefore = (from: number, to: number, i: number) => i - Math.max(at(from) - at(to), 0)
  set(shifts.indexOf(0), 0, 0, -1)
  for (let i = 0; i <= left.count; i += 1) {
    for (const [to, shift] of shifts.entries()) {
      if (i + shift < 0 || i + shift > right.count) continue
      if (i > 0 && i - 1 + shift >= 0)
        set(to, i, (costs[to]?.[i - 1] ?? Infinity) + mismatch(left, i - 1, right, i - 1 + shift), to)
      for (const [from, other] of shifts.entries()) {
        const leftOut = leftOutCost * Math.abs(other - shift)
        if (from !== to) set(to, i, (costs[from]?.[rowBefore(from, to, i)] ?? Infinity) + perChange + leftOut, from)
      }
    }
  }
  const found = Array.from<number | undefined>({ length: left.count })
  let [shift, i] = [shifts.indexOf(right.count - left.count), left.count]
  for (let from = before[shift]?.[i] ?? -1; from !== -1; from = before[shift]?.[i] ?? -1) {
    if (from === shift) found[(i -= 1)] = at(shift)
    else [shift, i] = [from, rowBefore(from, shift, i)]
  }
  return found
}

/** The rows of two pictures of equal width that belong together, from top to bottom. What was inserted or left out is between them. */
export const alignRows = (left: Rows, right: Rows): ReadonlyArray<Aligned> => {
  const aligned: Array<Aligned> = []
  for (const [row, shift] of cheapest(left, right, likelyShifts(left, right)).entries()) {
    const last = aligned.at(-1)
    if (shift === undefined) continue
    if (last !== undefined && last.left + last.count === row && last.right + last.count === row + shift)
      aligned[aligned.length - 1] = { ...last, count: last.count + 1 }
    else aligned.push({ left: row, right: row + shift, count: 1 })
  }
  return aligned
}
