import pixelmatch from "pixelmatch"
import { boxesOf, type Box } from "./boxes.ts"

/** Where two pictures differ, in pixels of a picture of `width` by `height`. */
export interface Differences {
  readonly width: number
  readonly height: number
  readonly boxes: ReadonlyArray<Box>
  /** The share of pixels that differ. */
  readonly share: number
}

/** Wider pictures are compared at this width. */
const mostWidth = 800

/** How far two colors may differ, of 1: compressed pictures are never quite the same. */
const threshold = 0.15

const drawn = (picture: ImageBitmap, width: number, height: number): Uint8ClampedArray => {
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })
  if (context === null) throw new Error("no canvas")
  context.drawImage(picture, 0, 0, width, Math.round((picture.height / picture.width) * width))
  return context.getImageData(0, 0, width, height).data
}

/** Compares two pictures, scaled to the same width. */
export const differences = (one: ImageBitmap, other: ImageBitmap): Differences => {
  const width = Math.min(one.width, other.width, mostWidth)
  const height = Math.round(width * Math.max(one.height / one.width, other.height / other.width))
  const mask = new Uint8ClampedArray(width * height * 4)
  const count = pixelmatch(drawn(one, width, height), drawn(other, width, height), mask, width, height, {
    threshold,
    diffMask: true
  })
  return { width, height, boxes: boxesOf(mask, width, height), share: count / (width * height) }
}
