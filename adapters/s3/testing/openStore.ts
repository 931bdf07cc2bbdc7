import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layer, type S3Options } from "../index.ts"

/** A store that is open until the scope closes. */
export const openStore = (options: S3Options) =>
  Effect.map(Layer.build(layer(options)), (context) => Context.get(context, ObjectStore))

/** A URL for a PUT of so many bytes of plain text. */
export const presignPut = Effect.fnUntraced(function* (store: ObjectStore["Service"], key: string, sizeBytes: number) {
  const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 5 })
  const [url = ""] = yield* store.presignPuts([{ key, contentType: "text/plain", sizeBytes, expiresAt }])
  return url
})

/** PUTs plain text through a presigned URL and asserts that it is stored. */
export const putThrough = (url: string, body: string | Uint8Array<ArrayBuffer>) =>
  Effect.promise(async () => {
    const answer = await fetch(url, { method: "PUT", headers: { "content-type": "text/plain" }, body })
    assert.strictEqual(answer.status, 200, await answer.text())
  })

/** Stores plain text. */
export const put = (store: ObjectStore["Service"], key: string, body: string | Uint8Array<ArrayBuffer>) =>
  Effect.flatMap(presignPut(store, key, body.length), (url) => putThrough(url, body))
