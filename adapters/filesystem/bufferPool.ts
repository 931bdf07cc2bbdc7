/** A pool of buffers of one size, so that large transfers leave no garbage. */
export interface BufferPool {
  /** A buffer with any content. */
  readonly acquire: () => Buffer
  /** Another buffer, for a caller that works without it; `undefined` if many are in use. */
  readonly acquireSpare: () => Buffer | undefined
  /** Returns a buffer to the pool. */
  readonly release: (buffer: Buffer) => void
}

/** How many unused buffers the pool keeps. */
const maxUnused = 16

/** How many may be in use before no spare one is given. */
const spareLimit = 32

/** A pool of buffers of this many bytes. */
export const bufferPool = (bytes: number): BufferPool => {
  const unused: Array<Buffer> = []
  let inUse = 0
  const acquire = () => {
    inUse += 1
    return unused.pop() ?? Buffer.allocUnsafeSlow(bytes)
  }
  return {
    acquire,
    acquireSpare: () => (inUse < spareLimit ? acquire() : undefined),
    release: (buffer) => {
      inUse -= 1
      if (unused.length < maxUnused) unused.push(buffer)
    }
  }
}
