import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { sourceOf, type Source } from "./bodies.ts"
import { fileChunks } from "./fileChunks.ts"
import { nodeAsk } from "./nodeAsk.ts"
import { nodePut } from "./nodePut.ts"
import type { Platform } from "./Platform.ts"

const ofPath = async (path: string | URL): Promise<Source> => ({
  sizeBytes: (await stat(path)).size,
  isRepeatable: true,
  chunks: () => fileChunks(path)
})

/** Node, Bun and Deno: bodies are read as streams, from beginning to end, once for their digest and once to send them. */
export const onNode: Platform = {
  open: (body) => sourceOf(body, ofPath),
  measure: async (source, { isGzip, signal }) => {
    const hash = createHash("sha256")
    let sizeBytes = 0
    const counted = async function* () {
      for await (const chunk of source.chunks()) {
        signal?.throwIfAborted()
        sizeBytes += chunk.byteLength
        // Unpacking continues while the next chunk is read.
        yield isGzip ? chunk.slice() : chunk
      }
    }
    const update = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const chunk of chunks) hash.update(chunk)
    }
    await (isGzip ? pipeline(counted(), createGunzip(), update) : update(counted()))
    return { sizeBytes, contentHash: hash.digest("hex") }
  },
  ask: nodeAsk,
  put: nodePut
}
