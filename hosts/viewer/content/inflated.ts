const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The text of a recording as a stream, decompressed if its first two bytes are those of gzip. The bytes decide, not the
 * headers: a browser has already decoded a content encoding, a store has not.
 */
export const inflated = async (stream: ReadableStream<Bytes>): Promise<ReadableStream<Bytes>> => {
  const reader = stream.getReader()
  const begun: Array<Bytes> = []
  let head: Bytes = new Uint8Array()
  while (head.byteLength < 2) {
    const { done, value } = await reader.read()
    if (done) break
    begun.push(value)
    head = new Uint8Array([...head, ...value.subarray(0, 2)])
  }
  const whole = new ReadableStream<Bytes>({
    pull: async (controller) => {
      const next = begun.shift()
      if (next !== undefined) {
        controller.enqueue(next)
        return
      }
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason)
  })
  return isGzip(head) ? whole.pipeThrough(new DecompressionStream("gzip")) : whole
}
