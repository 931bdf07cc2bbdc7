import { assert, it } from "@effect/vitest"
import { boxesOf } from "./boxes.ts"

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
