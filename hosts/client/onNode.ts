import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"
import { sourceOf } from "./bodies.ts"
import type { Source } from "./bodies.ts"
import { nodePut } from "./nodePut.ts"
import type { Platform } from "./Platform.ts"

const readBytes = 256 * 1024

const ofPath = async (path: string | URL): Promise<Source> => ({
  sizeBytes: (await stat(path)).size,
  isRepeatable: true,
  chunks: () => createReadStream(path, { highWaterMark: readBytes })
})

/** Node, Bun and Deno: bodies are read as streams, from beginning to end, once for their digest and once to send them. */
export const onNode: Platform = {
  open: (body) => sourceOf(body, ofPath),
  measure: async (source, { isGzip, signal }) => {
    const hash = createHash("sha256")
    let sizeBytes = 0
    const counted = async function* () {
      for await (const chunk of source.chunks()) {
        sizeBytes += chunk.byteLength
        yield chunk
      }
    }
    await pipeline(
      [Readable.from(counted(), { highWaterMark: 1 }), ...(isGzip ? [createGunzip()] : []), hash],
      signal === undefined ? {} : { signal }
    )
    return { sizeBytes, contentHash: hash.digest("hex") }
  },
  put: nodePut
}
