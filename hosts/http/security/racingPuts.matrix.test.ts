/** PUTs through valid URLs at random moments of a finalize: the hosted bytes are always the verified bytes. */
import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { Effect, Fiber, Schema } from "effect"
import { testEngines } from "../testing/engines.ts"
import { layer } from "../../../core/testing/layer.ts"
import { finalizePreview, reservePreview, uploader } from "../testing/previews.ts"
import { TestHost } from "../testing/TestHost.ts"
import { put, sha256 } from "../testing/uploads.ts"
import { seed } from "./testing/seed.ts"

/** The least number of PUTs that race a finalize on each set of engines. */
const races = 200

/** How many turns of the event loop pass before an action starts. */
const Turns = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))

/** When a finalize and the PUTs of other bytes start, and the object of each PUT. */
const Race = Schema.Struct({
  finalize: Turns,
  puts: Schema.Array(Schema.Struct({ turns: Turns, object: Schema.Literals([0, 1, 2]) })).check(
    Schema.isMinLength(4),
    Schema.isMaxLength(4)
  )
})

const sizeBytes = 40_000
const contentOf = (byte: number) => new Uint8Array(sizeBytes).fill(byte)

/**
 * The declared contents, the last without a digest, and other bytes of the same lengths and types, which the URLs also
 * accept.
 */
const right = [1, 2, 3].map(contentOf)
const other = [101, 102, 103].map(contentOf)
const declared = { sizeBytes, contentType: "application/octet-stream" }
const names = ["bundle", "files/0", "files/1"]

const turnsPass = (turns: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
  })

/** Finalizes as a client does: it asks again where the host, busy with other tests, answers that it can't say just now. */
const finalized = (account: Effect.Success<typeof uploader>, token: string) =>
  Effect.repeat(finalizePreview(account, token), { until: ({ status }) => status !== 503, times: 5 })

for (const engines of testEngines()) {
  layer(TestHost.layer(engines))(`PUTs that race a finalize, on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect(`${races} of them change nothing that was verified`, function* () {
      const { hostedObject } = yield* TestHost
      const account = yield* uploader
      const plans = yield* Arbitrary.sampleEffect(Arbitrary.schema(Race), { count: races / 4, seed })
      let taken = 0
      const outcomes = { hosted: 0, refused: 0 }
      for (const plan of plans) {
        const { shareId, slots, token } = yield* reservePreview(account, {
          contentHash: sha256(right[0]!),
          bundleSizeBytes: sizeBytes,
          bundleContentType: declared.contentType,
          files: [
            { path: "with-a-digest", ...declared, contentHash: sha256(right[1]!) },
            { path: "without", ...declared }
          ]
        })
        const targets = [slots.bundle, ...slots.files]
        const putRight = Effect.forEach(targets, (slot, index) => put(slot, right[index]!))
        const digests = Effect.forEach(names, (name) =>
          Effect.map(hostedObject(account.key, shareId, name), (text) => sha256(Buffer.from(text)))
        )
        yield* putRight
        const finalizing = yield* Effect.forkChild(Effect.andThen(turnsPass(plan.finalize), finalized(account, token)))
        const answers = yield* Effect.forEach(
          plan.puts,
          ({ object, turns }) => Effect.andThen(turnsPass(turns), put(targets[object]!, other[object]!)),
          { concurrency: "unbounded" }
        )
        taken += answers.filter(({ status }) => status === 200).length
        const first = yield* Fiber.join(finalizing)
        if (first.status === 201) outcomes.hosted += 1
        else {
          assert.strictEqual(first.status, 409, first.text)
          outcomes.refused += 1
          yield* putRight
          const { status, text } = yield* finalized(account, token)
          assert.strictEqual(status, 201, text)
        }
        const [bundle, file, free] = yield* digests
        assert.deepStrictEqual([bundle, file], right.slice(0, 2).map(sha256))
        assert.oneOf(free, [sha256(right[2]!), sha256(other[2]!)])
        // All PUTs have ended; later ones change nothing, even for the object without a digest.
        for (const [index, slot] of targets.entries()) yield* put(slot, other[index]!)
        assert.deepStrictEqual(yield* digests, [bundle, file, free])
      }
      assert.isAbove(taken, races / 10, "PUTs that the URLs accepted")
      process.stdout.write(`${taken} PUTs were accepted; ${JSON.stringify(outcomes)}\n`)
    })
  })
}
