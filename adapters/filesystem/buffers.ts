/** Buffers of one size that are used again and again, so that large transfers leave no garbage. */
export interface Buffers {
  /** A buffer with any content. */
  readonly acquire: () => Buffer
  /** Another buffer for who could do without, unless many are in use. */
  readonly acquireSpare: () => Buffer | undefined
  /** Gives a buffer back that nobody uses any more. */
  readonly release: (buffer: Buffer) => void
}

/** How many unused buffers are kept for later. */
const kept = 16

/** How many are in use when there is no spare one any more. */
const many = 32

/** Buffers of this many bytes. */
export const buffersOf = (bytes: number): Buffers => {
  const unused: Array<Buffer> = []
  let inUse = 0
  const take = () => {
    inUse += 1
    return unused.pop() ?? Buffer.allocUnsafeSlow(bytes)
  }
  return {
    acquire: take,
    acquireSpare: () => (inUse < many ? take() : undefined),
    release: (buffer) => {
      inUse -= 1
      if (unused.length < kept) unused.push(buffer)
    }
  }
}
