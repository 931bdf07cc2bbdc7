import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Logger, Redacted, Schema } from "effect"
import { inject } from "vitest"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { ask } from "../../postgres/testing/ask.ts"
import type { S3Options } from "../options.ts"
import { layer } from "../store.ts"
import type { S3Server } from "./startCeph.ts"

export { startCeph } from "./startCeph.ts"
export type { Ceph, S3Server } from "./startCeph.ts"

const Started = Schema.fromJsonString(
  Schema.Struct({
    endpoint: Schema.String,
    region: Schema.String,
    bucket: Schema.String,
    accessKeyId: Schema.String,
    secretAccessKey: Schema.String
  })
)

export const hasS3: boolean = inject("hasS3")

/** The S3 server that all tests of a run share. A test that stores something uses a prefix of its own. */
export const s3Server = async (): Promise<S3Server> => Schema.decodeSync(Started)(await ask("/s3"))

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

/** The bucket of the server that all tests of a run share. */
export const sharedBucket = Effect.map(
  Effect.promise(s3Server),
  ({ accessKeyId, secretAccessKey, ...place }) =>
    ({
      ...place,
      forcePathStyle: true,
      credentials: { accessKeyId: Redacted.make(accessKeyId), secretAccessKey: Redacted.make(secretAccessKey) }
    }) satisfies S3Options
)

/** A new prefix in that bucket, which is emptied when the scope closes. */
export const newPrefix = Effect.gen(function* () {
  const bucket = yield* sharedBucket
  const prefix = `test-${crypto.randomUUID()}/`
  const whole = yield* Effect.orDie(openStore(bucket))
  yield* Effect.addFinalizer(() =>
    Effect.orDie(Effect.flatMap(whole.list(prefix), (objects) => whole.remove(objects.map(({ key }) => key))))
  )
  return { ...bucket, prefix } satisfies S3Options
})

/** An object store below a new prefix. */
export const layerNewPrefix = Layer.unwrap(Effect.map(newPrefix, layer))

/** Runs an effect and answers its result with its log lines. */
export const withLogLines = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const keep = Logger.make(({ logLevel, message }) => {
      lines.push(`${logLevel}: ${Array.isArray(message) ? message.join(" ") : String(message)}`)
    })
    return Effect.map(Effect.provide(effect, Logger.layer([keep])), (result) => ({ lines, result }))
  })
