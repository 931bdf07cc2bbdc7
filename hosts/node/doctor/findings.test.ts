import { assert, describe } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { it } from "../../../core/testing/layer.ts"
import { makeObjects } from "../../../adapters/memory/objects.ts"
import { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { type Clock, clockFinding, roundTripFinding, schemaFinding, usedWhenNewer } from "./findings.ts"

const clock = (of: string, seconds: number, exactToMillis = 10): Clock => ({
  of,
  aheadMillis: seconds * 1000,
  exactToMillis
})

describe("clocks", () => {
  for (const [what, clocks, detail, hint] of [
    ["agree", [clock("PostgreSQL", 0.4), clock("S3", -0.6, 1000)], "PostgreSQL's is the same, S3's is the same"],
    ["a minute is let pass, and said", [clock("S3", -60)], "S3's is 1 m 0 s behind it"],
    ["an uncertain difference is accepted", [clock("S3", 61, 1500)], "S3's is 1 m 1 s ahead of it"],
    ["of one server: either may be off", [clock("S3", 61)], "S3's is 1 m 1 s ahead of it", "set all by NTP"],
    [
      "of two that agree: this machine's is off",
      [clock("PostgreSQL", 300), clock("S3", 301)],
      "PostgreSQL's is 5 m 0 s ahead of it, S3's is 5 m 1 s ahead of it",
      "set this machine's by NTP"
    ],
    [
      "of two, one agrees with this machine's: the other is off",
      [clock("PostgreSQL", 0), clock("S3", -300)],
      "PostgreSQL's is the same, S3's is 5 m 0 s behind it",
      "set S3's by NTP"
    ],
    [
      "three times",
      [clock("PostgreSQL", 300), clock("S3", -300)],
      "PostgreSQL's is 5 m 0 s ahead of it, S3's is 5 m 0 s behind it",
      "set all by NTP"
    ]
  ] as const) {
    it(what, () => {
      const found = clockFinding(clocks)
      assert.strictEqual(found.detail, `beside this machine's, ${detail}`)
      assert.strictEqual(found.ok ? undefined : found.hint.split(":")[0], hint)
    })
  }
})

type Store = ObjectStore["Service"]

const bytes = new TextEncoder().encode("probe\n")
const probe = { prefix: "doctor/1/", key: "doctor/1/stored", contentType: "text/plain", bytes }
const urls = SignedUrls.make({ secret: Redacted.make("not used here"), baseUrl: () => "http://localhost" })

/** The finding for a store that holds the probe, with some of its methods replaced. */
const found = Effect.fnUntraced(function* (fault: (store: Store) => Partial<Store>) {
  const { sink, store } = makeObjects(urls)
  yield* sink.receive({ ...probe, sizeBytes: bytes.byteLength }, Stream.make(bytes))
  return yield* roundTripFinding("objects", { ...store, ...fault(store) }, probe)
})

describe("an object that goes through a store", () => {
  it.effect("finds nothing wrong with a correct store, and leaves nothing behind", function* () {
    const { sink, store } = makeObjects(urls)
    yield* sink.receive({ ...probe, sizeBytes: bytes.byteLength }, Stream.make(bytes))
    assert.isTrue((yield* roundTripFinding("objects", store, probe)).ok)
    assert.deepStrictEqual(yield* store.list("doctor/"), [])
  })

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
    ["a copy that fails", () => ({ promote: () => Effect.fail(Unavailable.default) }), "the store failed (Unavailable)"]
  ] as const) {
    it.effect(`${what} is named`, function* () {
      const finding = yield* found(fault)
      assert.isFalse(finding.ok)
      assert.strictEqual(finding.detail, said)
    })
  }
})

const newest = { id: 2, name: "notes" }
const steps = [{ id: 1, name: "baseline" }, newest]

describe("the schema of a database", () => {
  for (const [what, has, ok, said] of [
    ["none yet", [], true, "no tables yet; the first host that starts makes them"],
    [
      "behind",
      steps.slice(0, 1),
      true,
      `at step 1 (baseline); the next host that starts migrates it to ${newest.id} (`
    ],
    ["this version's", steps, true, `at step ${newest.id} (${newest.name}), this version's`],
    [
      "ahead",
      [...steps, { id: newest.id + 1, name: "later" }],
      false,
      `a newer Slipway has migrated it to step ${newest.id + 1} (later); this version knows ${newest.id}`
    ],
    ["somebody else's", [{ id: 1, name: "users" }], false, "its step 1 (users) is not one of Slipway's"]
  ] as const) {
    it(what, () => {
      const found = schemaFinding("schema", has, steps)
      assert.strictEqual(found.ok, ok)
      assert.strictEqual(found.detail.slice(0, said.length), said)
    })
  }

  it("a newer one is used where a host uses it, with PostgreSQL", () => {
    const has = [...steps, { id: newest.id + 1, name: "later" }]
    const found = schemaFinding("schema", has, steps, usedWhenNewer)
    assert.isTrue(found.ok)
    assert.include(found.detail, "a newer Slipway has migrated it")
  })
})
