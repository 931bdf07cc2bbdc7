import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { makeObjects } from "../../../../adapters/memory/objects.ts"
import { SignedUrls } from "../../../../adapters/signed-urls/SignedUrls.ts"
import { Unavailable } from "../../../../core/model/Problem.ts"
import type { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import { roundTripFinding } from "./roundTrip.ts"

type Store = ObjectStore["Service"]

const bytes = new TextEncoder().encode("probe\n")
const probe = { prefix: "doctor/1/", key: "doctor/1/stored", contentType: "text/plain", bytes }
const urls = SignedUrls.make({ secret: Redacted.make("not used here"), baseUrl: () => "http://localhost" })

/** The finding for a store that holds the probe, with some of its methods replaced. */
const found = (fault: (store: Store) => Partial<Store>) =>
  Effect.gen(function* () {
    const { sink, store } = makeObjects(urls)
    yield* sink.receive({ ...probe, sizeBytes: bytes.byteLength }, Stream.make(bytes))
    return yield* roundTripFinding("objects", { ...store, ...fault(store) }, probe)
  })

describe("an object that goes through a store", () => {
  it.effect("finds nothing wrong with a correct store, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const { sink, store } = makeObjects(urls)
      yield* sink.receive({ ...probe, sizeBytes: bytes.byteLength }, Stream.make(bytes))
      assert.isTrue((yield* roundTripFinding("objects", store, probe)).ok)
      assert.deepStrictEqual(yield* store.list("doctor/"), [])
    })
  )

  for (const [what, fault, said] of [
    [
      "other bytes",
      ({ read }: Store) => ({
        read: (key: string) => Effect.map(read(key), (object) => ({ ...object, stream: Stream.make(bytes.slice(1)) }))
      }),
      "the store gives back other bytes than it took"
    ],
    [
      "another content type",
      ({ read }: Store) => ({
        read: (key: string) => Effect.map(read(key), (object) => ({ ...object, contentType: "binary/octet-stream" }))
      }),
      "the store gives back the content type binary/octet-stream for text/plain"
    ],
    [
      "a listing that is behind",
      ({ list }: Store) => ({ list: (prefix: string) => Effect.map(list(prefix), (all) => all.slice(1)) }),
      "the store lists other objects than there are"
    ],
    ["no deletion", () => ({ remove: () => Effect.void }), "the store still lists what was deleted"],
    ["a copy that fails", () => ({ promote: () => Effect.fail(Unavailable.answer) }), "the store failed (Unavailable)"]
  ] as const) {
    it.effect(`${what} is named`, () =>
      Effect.gen(function* () {
        const finding = yield* found(fault)
        assert.isFalse(finding.ok)
        assert.strictEqual(finding.detail, said)
      })
    )
  }
})
