import { assert, it } from "@effect/vitest"
import { alignRows, boxesOf, rowsOf } from "./differences.ts"

const [width, height] = [100, 60]

/** A mask in which the pixels of some rectangles are marked. */
const maskOf = (...marked: ReadonlyArray<readonly [x: number, y: number, width: number, height: number]>) => {
  const mask = new Uint8ClampedArray(width * height * 4)
  for (const [left, top, wide, high] of marked) {
    for (let y = top; y < top + high; y += 1) {
      for (let x = left; x < left + wide; x += 1) mask[(y * width + x) * 4 + 3] = 255
    }
  }
  return mask
}

it("marked pixels are outlined together where they are near, and single ones are noise", () => {
  assert.deepStrictEqual(boxesOf(maskOf(), width, height), [])
  assert.deepStrictEqual(boxesOf(maskOf([5, 5, 1, 1]), width, height), [])
  assert.deepStrictEqual(boxesOf(maskOf([2, 2, 8, 8], [14, 2, 8, 8], [90, 50, 10, 10]), width, height), [
    { x: 0, y: 0, width: 24, height: 12 },
    { x: 84, y: 48, width: 16, height: 12 }
  ])
  // An equal digit between two others is one cell of their line.
  assert.lengthOf(boxesOf(maskOf([2, 2, 8, 8], [26, 2, 8, 8], [2, 26, 8, 8]), width, height), 2)
  // A box doesn't continue at the other edge of the picture.
  assert.lengthOf(boxesOf(maskOf([96, 12, 4, 4], [0, 24, 4, 4]), width, height), 2)
})

const rowWidth = 64

/** Rows of pixels that no other seed has. */
const content = (seed: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count * rowWidth }, (_, at) => (Math.imul(at + 1, 2654435761) >>> (seed % 13)) & 255)

const blank = (count: number): ReadonlyArray<number> => Array.from({ length: count * rowWidth }, () => 240)

const rows = (...parts: ReadonlyArray<ReadonlyArray<number>>) => {
  const grey = parts.flat()
  const pixels = new Uint8ClampedArray(grey.flatMap((value) => [value, value, value, 255]))
  return rowsOf(pixels, rowWidth, grey.length / rowWidth)
}

const [top, list, bottom, banner] = [content(1, 40), content(4, 200), content(9, 30), content(11, 25)]

it("equal pictures, and pictures that differ in one place, are compared row by row", () => {
  const same = [{ left: 0, right: 0, count: 300 }]
  const picture = rows(top, list, blank(30), bottom)
  assert.deepStrictEqual(alignRows(picture, picture), same)
  assert.deepStrictEqual(alignRows(picture, rows(top, list, content(7, 30), bottom)), same)
})

it("what a banner moves down belongs to what it was, and what it moves out of the screen to nothing", () => {
  const cut = list.slice(0, -25 * rowWidth)
  const aligned = alignRows(rows(top, list, bottom), rows(top, banner, cut, bottom))
  assert.deepStrictEqual(aligned, [
    { left: 0, right: 0, count: 40 },
    { left: 40, right: 65, count: 175 },
    { left: 240, right: 240, count: 30 }
  ])
  assert.deepStrictEqual(
    alignRows(rows(top, banner, cut, bottom), rows(top, list, bottom)),
    aligned.map(({ count, left, right }) => ({ left: right, right: left, count }))
  )
})

it("pictures of other heights are aligned at both ends", () => {
  assert.deepStrictEqual(alignRows(rows(top, list, bottom), rows(top, list, banner, bottom)), [
    { left: 0, right: 0, count: 240 },
    { left: 240, right: 265, count: 30 }
  ])
  const [nothing, some] = [rows(), rows(top)]
  assert.deepStrictEqual(alignRows(nothing, some), [])
  assert.deepStrictEqual(alignRows(some, nothing), [])
})
