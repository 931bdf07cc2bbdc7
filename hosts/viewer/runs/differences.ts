import pixelmatch from "pixelmatch"
import { alignRows, rowsOf, type Aligned } from "./alignRows.ts"
import { boxesOf, type Box } from "./boxes.ts"

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
const mostWidth = 800

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

  const width = Math.min(full, mostWidth)
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
