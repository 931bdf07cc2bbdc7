import { Effect, Layer, Redacted } from "effect"
import { layer, type S3Options } from "../index.ts"
import { openStore } from "./openStore.ts"
import { s3Server } from "./server.ts"

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
