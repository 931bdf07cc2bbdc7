import { Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import type { SlipwayClient } from "../client/effect/SlipwayClient.ts"
import type { BundledApp } from "./bundle.ts"
import type { Progress } from "./progress.ts"

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** The fields by which builds and previews declare a bundle with its files. */
export const declared = (app: BundledApp) => ({
  contentHash: sha256(app.bundle),
  bundleSizeBytes: app.bundle.byteLength,
  bundleContentType: app.bundleContentType,
  entry: app.entry,
  isTransformed: app.isTransformed,
  deviceSpec: { width: 390, height: 844 },
  files: app.files.map(({ bytes, contentType, path }) => ({
    path,
    contentType,
    sizeBytes: bytes.byteLength,
    contentHash: sha256(bytes)
  }))
})

/** Something to PUT: its slot, what it is called, and its bytes. */
export interface Content {
  readonly slot: { readonly putUrl: string; readonly contentType: string; readonly sizeBytes: number }
  readonly name: string
  readonly bytes: Uint8Array
}

/** The bundle and the files of an app, each for the slot that was reserved for it. */
export const contentsOf = (
  app: BundledApp,
  slots: { readonly bundle: Content["slot"]; readonly files: ReadonlyArray<Content["slot"]> }
): ReadonlyArray<Content> => [
  { slot: slots.bundle, name: app.entry, bytes: app.bundle },
  ...app.files.flatMap(({ bytes, path }, index) => {
    const slot = slots.files[index]
    return slot === undefined ? [] : [{ slot, name: path, bytes }]
  })
]

const chunkBytes = 64 * 1024

const chunks = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.byteLength / chunkBytes) }, (_, n) =>
    bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)
  )

/** PUTs everything, four at a time, and shows how far it is. */
export const putAll = Effect.fnUntraced(function* (
  client: SlipwayClient["Service"],
  contents: ReadonlyArray<Content>,
  progress: Progress
) {
  yield* progress.start(contents.reduce((total, { bytes }) => total + bytes.byteLength, 0))
  yield* Effect.forEach(
    contents,
    ({ bytes, name, slot }) => {
      const sent = Stream.fromIterable(chunks(bytes)).pipe(
        Stream.rechunk(1),
        Stream.tap((chunk) => progress.sent(name, chunk.byteLength))
      )
      return client.put(slot, sent)
    },
    { concurrency: 4, discard: true }
  )
  yield* progress.stop
})
