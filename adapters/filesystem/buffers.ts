/** Buffers of one size that are used again and again, so that large transfers leave no garbage. */
export interface Buffers {
  /** A buffer with any content. */
  readonly take: () => Buffer
  /** Gives a buffer back that nobody uses any more. */
  readonly giveBack: (buffer: Buffer) => void
}

/** How many unused buffers are kept for later. */
const kept = 16

/** Buffers of this many bytes. */
export const buffersOf = (bytes: number): Buffers => {
  const unused: Array<Buffer> = []
  return {
    take: () => unused.pop() ?? Buffer.allocUnsafeSlow(bytes),
    giveBack: (buffer) => void (unused.length < kept && unused.push(buffer))
  }
}
