/**
 * The cases that every store of records shares: whatever a record holds, each call that finds it answers it unchanged, and no text is
 * taken for another.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { KeyId } from "../../../core/model/ApiKey.ts"
import { FilePath } from "../../../core/model/Artifact.ts"
import { awkward, everyCharacter } from "./characters.ts"
import { after, epochs, idAt, instant } from "./samples.ts"
import type { Cases } from "./suite.ts"

/** Records of a kind, which belong to an owner. */
export interface Kept<R, O, A> {
  readonly owner: Effect.Effect<O, unknown, R>
  /** A record with every field: each text is this one as far as its field may hold it, and each time is this one. */
  readonly full: (owner: O, text: string, at: DateTime.Utc) => A
  /** A record without optional fields. */
  readonly bare: (owner: O) => A
  readonly store: (record: A, owner: O) => Effect.Effect<unknown, unknown, R>
  /** What every call that finds a record answers, as plain values. */
  readonly read: (record: A, owner: O) => Effect.Effect<ReadonlyArray<unknown>, unknown, R>
  /** What they have to answer. */
  readonly expected: (record: A, owner: O) => ReadonlyArray<unknown>
}

const quoted = `Zweig/ä "q" 'x' \\ \\n %_ $1 {} null é 漢 𝒜🙂`
const longest = "漢字仮名交じり文".repeat(128).slice(0, 1023)

/** Texts of every kind, those among them that differ only in a space at the end or in the last of a thousand characters. */
const texts = [...awkward, ...everyCharacter, "trailing", `${longest}甲`, `${longest}乙`]

const isPath = Schema.is(FilePath)

/** The fields that uploads of every kind have, with this time and some after it. */
export const fullUpload = (at: DateTime.Utc) => ({
  reservedAt: at,
  expiresAt: after(at, 55_555),
  finalizedAt: after(at, 1),
  hostedPrefix: "hosted/x/y/",
  keyId: KeyId.make(idAt(1)),
  decompressedBytes: Number.MAX_SAFE_INTEGER,
  metadataBytes: 1_050_624
})

/** What uploads of every kind declare, with this text. Its files, one of which has it as its path if it is one, aren't in the order of their paths. */
export const fullDeclaration = (text: string) => ({
  contentHash: "0f".repeat(32),
  bundleSizeBytes: Number.MAX_SAFE_INTEGER,
  bundleContentType: 'application/json; charset="utf-8"',
  bundleOrigin: "http://localhost:8081/index.bundle?platform=ios&dev=true#é",
  entry: text,
  deviceSpec: { width: 411.42857142857144, height: 0.1 + 0.2 + 1 },
  isTransformed: true,
  replayCheck: {
    firstScreen: "drawn" as const,
    reason: "Error: 漢字\n at 🚢",
    boxes: ["BVLinearGradient"],
    missing: []
  },
  files: [
    { path: "z/last.map", sizeBytes: 0, contentType: "application/json" },
    { path: isPath(text) ? text : "no path", sizeBytes: 3, contentType: "image/png", contentHash: "a".repeat(64) },
    { path: "a/first.png", sizeBytes: 2, contentType: "image/png" }
  ]
})

/** A thousand files in an order that isn't that of their paths. */
export const manyFiles = Array.from({ length: 1000 }, (_, index) => ({
  path: `${(index * 7919) % 1000}/${"漢字".repeat(300)}`,
  sizeBytes: index,
  contentType: "image/png"
}))

/** Two cases of each kind of record. */
export const assertKept = <R, O, A>(
  it: Cases<R>,
  name: string,
  { bare, expected, full, owner, read, store }: Kept<R, O, A>
): void => {
  const assertStored = Effect.fnUntraced(function* (record: A, of: O) {
    assert.deepStrictEqual(yield* read(record, of), expected(record, of))
  })

  it.effect(
    `${name} comes back with every field unchanged from each call that finds it, and with no other`,
    function* () {
      for (const make of [
        bare,
        ...[instant(77), ...epochs].map((at) => (of: O) => full(of, `${quoted} ${DateTime.formatIso(at)}`, at))
      ]) {
        const of = yield* owner
        const record = make(of)
        yield* store(record, of)
        yield* assertStored(record, of)
      }
    }
  )

  it.effect(`texts of every kind in ${name} come back unchanged, and no two are the same`, function* () {
    const of = yield* owner
    const records = texts.map((text) => full(of, text, instant(77)))
    for (const record of records) yield* store(record, of)
    for (const record of records) yield* assertStored(record, of)
  })
}
