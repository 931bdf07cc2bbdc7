import { gathered, sourceOf, type Source } from "./bodies.ts"
import { fetchAsk } from "./fetchAsk.ts"
import { fetchPut } from "./fetchPut.ts"
import type { Platform } from "./Platform.ts"

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
