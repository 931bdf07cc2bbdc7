/** Frames that are played, from the first to the second; backwards if the speed is negative. */
export type Range = readonly [from: number, to: number]

const endsOf = ([from, to]: Range, speed: number): Range => (speed < 0 ? [to, from] : [from, to])

/** The frame from which a range is played: the current one if it is in the range, and not where that ends. */
export const beginIn = (range: Range, speed: number, current: number): number => {
  const [start, end] = endsOf(range, speed)
  const isWithin = Math.min(start, end) <= Math.trunc(current) && Math.trunc(current) < Math.max(start, end)
  return isWithin && current !== end ? current : start
}

/** The frame after so many frames of playing, and whether the range has ended. */
export const advance = (range: Range, speed: number, current: number, frames: number, isLooping: boolean) => {
  const [start, end] = endsOf(range, speed)
  const length = Math.abs(end - start)
  const gone = Math.abs(current - start) + frames
  if (gone < length || (isLooping && length > 0))
    return { frame: start + Math.sign(end - start) * (gone % length), isDone: false }
  return { frame: end, isDone: true }
}
