import * as NodeStream from "@effect/platform-node/NodeStream"
import { Layer } from "effect"
import { createHash } from "node:crypto"
import { createGunzip } from "node:zlib"
import { Gunzip, NotGzip } from "../../core/ports/Gunzip.ts"
import { Sha256 } from "../../core/ports/Sha256.ts"

const layerSha256 = Layer.succeed(Sha256, () => {
  const hash = createHash("sha256")
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
})

// The size of a decompressed chunk: this much is digested in one turn of the event loop. zlib works on other threads.
const chunkSize = 1024 ** 2

const layerGunzip = Layer.succeed(Gunzip, (compressed) =>
  NodeStream.pipeThroughDuplex(compressed, {
    evaluate: () => createGunzip({ chunkSize, rejectGarbageAfterEnd: true }),
    onError: () => new NotGzip()
  })
)

export const layer = Layer.merge(layerSha256, layerGunzip)
