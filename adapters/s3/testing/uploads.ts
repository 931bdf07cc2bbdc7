/** The whole service over a bucket, with its metadata in memory, for tests of whole uploads. */
import { Effect, Layer, Stream } from "effect"
import { createHash } from "node:crypto"
import * as core from "../../../core/layer.ts"
import { KeyId, type Caller } from "../../../core/model/ApiKey.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { Previews, type PreviewTicket } from "../../../core/service/Previews.ts"
import { Settings } from "../../../core/service/Settings.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerMetadata } from "../../memory/index.ts"
import { putThrough } from "./server.ts"

/** Every port: the given objects, and everything else in memory. */
export const layerPorts = <E, R>(objects: Layer.Layer<ObjectStore, E, R>) => Layer.mergeAll(layerMetadata, objects)

export const layerService = <E, R>(ports: ReturnType<typeof layerPorts<E, R>>) =>
  core.layer.pipe(Layer.provide(ports), Layer.provide(Settings.layer({ url: "http://127.0.0.1" })))

export const newCaller = Effect.gen(function* () {
  const account = yield* (yield* Administration).createAccount({ name: `account-${crypto.randomUUID()}` })
  const caller: Caller = { account, keyId: KeyId.make("key"), scopes: ["preview_upload"] }
  return caller
})

export interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly digest: boolean
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const declared = ({ bytes, digest }: Content) => ({
  sizeBytes: bytes.byteLength,
  contentType: "text/plain",
  ...(digest ? { contentHash: sha256(bytes) } : {})
})

export const reserve = Effect.fnUntraced(function* (caller: Caller, bundle: Content, files: ReadonlyArray<Content>) {
  return yield* (yield* Previews).reserve(caller, {
    contentHash: sha256(bundle.bytes),
    bundleSizeBytes: bundle.bytes.byteLength,
    bundleContentType: "text/plain",
    isTransformed: false,
    files: files.map((file, index) => ({ path: `file-${index}`, ...declared(file) })),
    recordings: [],
    git: {}
  })
})

/** PUTs contents to the slots of a ticket, the bundle first. */
export const putAll = ({ slots }: PreviewTicket, contents: ReadonlyArray<Uint8Array<ArrayBuffer>>) =>
  Effect.forEach(
    [slots.bundle, ...slots.files],
    ({ putUrl }, index) => putThrough(putUrl, contents[index] ?? new Uint8Array()),
    { concurrency: 8, discard: true }
  )

/** The digests of the bundle and of this many files that a preview hosts. */
export const hostedDigests = Effect.fnUntraced(function* (caller: Caller, { shareId }: PreviewTicket, files: number) {
  const previews = yield* Previews
  const names = ["bundle", ...Array.from({ length: files }, (_, index) => `files/${index}`)]
  return yield* Effect.forEach(names, (name) =>
    previews.open(caller, shareId, { name }).pipe(
      Effect.flatMap(({ stream }) => Stream.mkUint8Array(stream)),
      Effect.scoped,
      Effect.map(sha256)
    )
  )
})

export const digests = (contents: ReadonlyArray<Content>): ReadonlyArray<string> =>
  contents.map(({ bytes }) => sha256(bytes))
