/** How many requests a finalize sends to S3, and how many of them at the same time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { Previews } from "../../core/service/Previews.ts"
import { openClient } from "./client.ts"
import { makeObjects } from "./objects.ts"
import { newPrefix } from "./testing/newPrefix.ts"
import { hasS3 } from "./testing/server.ts"
import {
  digests,
  hostedDigests,
  layerPorts,
  layerService,
  newCaller,
  putAll,
  reserve,
  type Content
} from "./testing/uploads.ts"

const text = (index: number): Content => ({
  bytes: new TextEncoder().encode(`file number ${index}`),
  digest: index % 2 === 0
})

/** The greatest number of requests at the same time. */
const makeGauge = () => {
  const gauge = { now: 0, most: 0 }
  const begin = Effect.sync(() => {
    gauge.now += 1
    gauge.most = Math.max(gauge.most, gauge.now)
  })
  const end = Effect.sync(() => {
    gauge.now -= 1
  })
  return { gauge, counted: Effect.acquireRelease(begin, () => end) }
}

describe.skipIf(!hasS3)("finalizing a preview of 1,000 files on S3", () => {
  it.live("makes one listing per thousand objects, one copy per object and one read per digest, concurrently", () =>
    Effect.gen(function* () {
      const options = yield* newPrefix
      const client = yield* openClient(options)
      let calls: Record<string, number> = {}
      client.middlewareStack.add(
        (next, { commandName = "" }) =>
          (args) => {
            calls[commandName] = (calls[commandName] ?? 0) + 1
            return next(args)
          },
        { step: "initialize" }
      )
      const [promotions, reads] = [makeGauge(), makeGauge()]
      const store = makeObjects({ ...options, client })
      const counting = Layer.succeed(
        ObjectStore,
        ObjectStore.of({
          ...store,
          promote: (from, to) => Effect.scoped(Effect.andThen(promotions.counted, store.promote(from, to))),
          read: (key, range) => Effect.andThen(reads.counted, store.read(key, range))
        })
      )
      yield* Effect.gen(function* () {
        const caller = yield* newCaller
        const bundle = { ...text(1000), digest: true }
        const files = Array.from({ length: 1000 }, (_, index) => text(index))
        const ticket = yield* reserve(caller, bundle, files)
        yield* putAll(
          ticket,
          [bundle, ...files].map(({ bytes }) => bytes)
        )
        calls = {}
        yield* (yield* Previews).finalize(caller, ticket.token)
        assert.deepStrictEqual(calls, {
          CopyObjectCommand: 1001,
          ListObjectsV2Command: 2,
          GetObjectCommand: 501,
          DeleteObjectsCommand: 2
        })
        for (const { gauge } of [promotions, reads]) {
          assert.isAtLeast(gauge.most, 8)
          assert.isAtMost(gauge.most, 16)
          assert.strictEqual(gauge.now, 0)
        }
        const hosted = yield* hostedDigests(caller, ticket, 3)
        assert.deepStrictEqual(hosted, digests([bundle, ...files.slice(0, 3)]))
      }).pipe(Effect.provide(layerService(layerPorts(counting))))
    }).pipe(Effect.scoped)
  )
})
