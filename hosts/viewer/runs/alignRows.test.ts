import { assert, it } from "@effect/vitest"
import { alignRows, rowsOf } from "./alignRows.ts"

const width = 64

/** Rows of pixels that no other seed has. */
const content = (seed: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count * width }, (_, at) => (Math.imul(at + 1, 2654435761) >>> (seed % 13)) & 255)

const blank = (count: number): ReadonlyArray<number> => Array.from({ length: count * width }, () => 240)

const rows = (...parts: ReadonlyArray<ReadonlyArray<number>>) => {
  const grey = parts.flat()
  const pixels = new Uint8ClampedArray(grey.flatMap((value) => [value, value, value, 255]))
  return rowsOf(pixels, width, grey.length / width)
}

const [top, list, bottom, banner] = [content(1, 40), content(4, 200), content(9, 30), content(11, 25)]

it("equal pictures, and pictures that differ in one place, are compared row by row", () => {
  const same = [{ left: 0, right: 0, count: 300 }]
  const picture = rows(top, list, blank(30), bottom)
  assert.deepStrictEqual(alignRows(picture, picture), same)
  assert.deepStrictEqual(alignRows(picture, rows(top, list, content(7, 30), bottom)), same)
})

it("what a banner moves down belongs to what it was, and what it moves out of the screen to nothing", () => {
  const cut = list.slice(0, -25 * width)
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
