import { Effect, Layer, Stream } from "effect"
import { resolveRange } from "../../../adapters/object-store/makeObjectStore.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"

const isHuge = (key: string): boolean => key.endsWith("/recordings/0")

const pieceBytes = 64 * 1024

/** The header of more than a second of silence; a browser detects its real type, whatever the declared one. */
const waveHeader = (sizeBytes: number): Buffer => {
  const header = Buffer.alloc(44)
  const rate = 8000
  header.write("RIFF", 0)
  header.writeUInt32LE(sizeBytes - 8, 4)
  header.write("WAVEfmt ", 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write("data", 36)
  header.writeUInt32LE(sizeBytes - 44, 40)
  return header
}

/**
 * A store in which the first recording of every preview is one of so many bytes, though its slot takes a single one, and a
 * count of the bytes that are read from it.
 */
export const hugeRecording = (sizeBytes: number) => {
  const count = { bytes: 0 }
  const header = waveHeader(sizeBytes)
  const piece = (at: number, length: number): Uint8Array => {
    const bytes = Buffer.alloc(length, 128)
    if (at < header.byteLength) header.copy(bytes, 0, at)
    return bytes
  }
  const read = (offset: number, length: number) =>
    Stream.unfold(0, (done) =>
      Effect.sync(() => {
        const wanted = Math.min(pieceBytes, length - done)
        if (wanted === 0) return undefined
        count.bytes += wanted
        return [piece(offset + done, wanted), done + wanted] as const
      })
    )
  const objects = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) =>
      ObjectStore.of({
        ...store,
        presignPuts: (requests) =>
          store.presignPuts(requests.map((put) => (isHuge(put.key) ? { ...put, sizeBytes: 1 } : put))),
        list: (prefix) =>
          Effect.map(store.list(prefix), (all) => all.map((one) => (isHuge(one.key) ? { ...one, sizeBytes } : one))),
        read: (key, range) =>
          isHuge(key)
            ? Effect.map(resolveRange(range, sizeBytes), ({ length, offset }) => ({
                sizeBytes,
                offset,
                length,
                contentType: "video/mp4",
                stream: read(offset, length)
              }))
            : store.read(key, range)
      })
    )
  )
  return { count, objects }
}
