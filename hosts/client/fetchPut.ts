import { endingAfter } from "./attempt.ts"
import { exactly } from "./bodies.ts"
import type { Put } from "./Platform.ts"

/** `fetch` reports no progress. So a PUT may take the idle timeout plus the time for its bytes at 16 kB/s. */
const leastBytesPerMs = 16

const streamOf = (chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      // A reader of the stream may keep its chunks.
      else controller.enqueue(value.slice())
    },
    cancel: async () => {
      await chunks.return(undefined)
    }
  })

/**
 * PUTs by `fetch`. Bytes and Blobs go as they are; `onBytes` is called when they are all sent. A stream goes with its
 * length, as object stores want it, which works on servers; browsers have no streams here (`browser.ts`).
 */
export const fetchPut =
  (fetch: typeof globalThis.fetch): Put =>
  async ({ contentType, idleMs, name, onBytes, signal, sizeBytes, source, url }) => {
    const streamed = () => ({
      body: streamOf(exactly(name, source, sizeBytes, onBytes)),
      duplex: "half",
      headers: { "content-type": contentType, "content-length": String(sizeBytes) }
    })
    const response = await fetch(url, {
      method: "PUT",
      credentials: "omit",
      signal: endingAfter(idleMs + Math.ceil(sizeBytes / leastBytesPerMs), signal),
      ...(source.held === undefined ? streamed() : { body: source.held, headers: { "content-type": contentType } })
    })
    const text = await response.text()
    onBytes(sizeBytes)
    return { status: response.status, header: (header) => response.headers.get(header), text }
  }
