const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The text of a recording as it is read: where what arrives begins as gzip does, decompressed. It is told by its first
 * two bytes, as a browser has undone a content encoding already and a store has not.
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
