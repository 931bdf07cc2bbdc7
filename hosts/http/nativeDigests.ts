import { Channel, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import { Duplex } from "node:stream"
import { createGunzip } from "node:zlib"
import { Gunzip, NotGzip, Sha256 } from "../../core/ports/HostServices.ts"

const layerSha256 = Layer.succeed(Sha256, () => {
  const hash = createHash("sha256")
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") }
})

// The size of a decompressed chunk: this much is digested in one turn of the event loop. zlib works on other threads.
const chunkSize = 1024 ** 2

const webGunzip = (): TransformStream<Uint8Array, Uint8Array> =>
  // Node types the streams of `toWeb` as its own, which TypeScript doesn't take for the platform's, though they are the same.
  Object(Duplex.toWeb(createGunzip({ chunkSize, rejectGarbageAfterEnd: true })))

const layerGunzip = Layer.succeed(Gunzip, (compressed) =>
  Stream.pipeThroughChannel(
    compressed,
    Channel.fromTransformStream({
      evaluate: webGunzip,
      onError: () => new NotGzip()
    })
  )
)

export const layer = Layer.merge(layerSha256, layerGunzip)
