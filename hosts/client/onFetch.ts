import type { Ask, Platform, Put } from "./Platform.ts"
import { endingAfter } from "./retrying.ts"
import { exactly, gathered, type Source, sourceOf } from "./bodies.ts"

/** Sends requests by `fetch`. Without a key, `credentials` decides whether they have the cookies of the browser. */
export const fetchAsk =
  (fetch: typeof globalThis.fetch): Ask =>
  async ({ body, credentials, headers, method, signal, url }) => {
    const response = await fetch(url, { method, credentials, headers, signal, ...(body === undefined ? {} : { body }) })
    const text = await response.text()
    return { status: response.status, header: (name) => response.headers.get(name), text }
  }

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

const noFiles = async (): Promise<Source> => {
  throw new Error("A path is read on Node, Bun and Deno only; give a File or another body.")
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

const uncompressed = (blob: Blob): Promise<ArrayBuffer> =>
  new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()

/**
 * Browsers, and other platforms with `fetch`. Their digest needs all bytes in memory, so it is computed of bytes, and
 * of a Blob only where it is required. They can't send the length of a stream, so a stream becomes a Blob first.
 */
export const onFetch: Platform = {
  open: async (body, signal) => gathered(await sourceOf(body, noFiles), signal),
  measure: async ({ held }, { isGzip, isRequired }) => {
    // Pages without HTTPS have no digests.
    if (held === undefined || crypto.subtle === undefined) return {}
    const blob = held instanceof Blob ? held : new Blob([held])
    if (blob === held && !isRequired) return {}
    const bytes = isGzip ? await uncompressed(blob) : await blob.arrayBuffer()
    return { contentHash: hex(await crypto.subtle.digest("SHA-256", bytes)) }
  },
  ask: (request) => fetchAsk(globalThis.fetch)(request),
  put: (request) => fetchPut(globalThis.fetch)(request)
}
