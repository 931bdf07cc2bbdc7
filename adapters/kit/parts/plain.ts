/**
 * Records as plain JSON, so that they are compared field by field, an absent field equals no field, differences are
 * readable, and cached values don't count.
 */
import { CiRun, TestHistory } from "../../../core/model/TestHistory.ts"
import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Schema } from "effect"
import { Account } from "../../../core/model/Account.ts"
import { ApiKey, KeyId, Session } from "../../../core/model/ApiKey.ts"
import { FilePath } from "../../../core/model/Artifact.ts"
import { Build, BuildReservation } from "../../../core/model/Build.ts"
import { ObjectDeletion } from "../../../core/model/HostedObject.ts"
import { IdempotentResponse } from "../../../core/model/Idempotency.ts"
import { Preview } from "../../../core/model/Preview.ts"
import { Quarantine } from "../../../core/model/Quarantine.ts"
import { Repository, RepositoryTrust } from "../../../core/model/Repository.ts"
import { Reservation } from "../../../core/model/Reservation.ts"
import { ShareLink } from "../../../core/model/Resource.ts"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { TestRun } from "../../../core/model/TestRun.ts"
import { BuildTicket } from "../../../core/service/Builds.ts"
import { PreviewTicket } from "../../../core/service/Previews.ts"
import { after, epochs, idAt, instant } from "./samples.ts"
import type { Cases } from "./suite.ts"

/** Records of a model as plain JSON. */
export const plainOf = <S extends Schema.Encoder<unknown>>(schema: S) => {
  const encode = Schema.encodeSync(schema)
  return (value: S["Type"]) => encode(value)
}

export const plainAccount = plainOf(Account)
export const plainKey = plainOf(ApiKey)
export const plainRepository = plainOf(Repository)
export const plainBuild = plainOf(Build)
export const plainReservation = plainOf(BuildReservation)
export const plainPreview = plainOf(Preview)
/** What reservations of builds and previews have in common. */
export const plainUpload = plainOf(Reservation)
export const plainSession = plainOf(Session)
export const plainShareLink = plainOf(ShareLink)
export const plainEvent = plainOf(SlipwayEvent)
export const plainTrust = plainOf(RepositoryTrust)
export const plainQuarantine = plainOf(Quarantine)
export const plainObjectDeletion = plainOf(ObjectDeletion)
export const plainRun = plainOf(TestRun)
export const plainHistory = plainOf(TestHistory)
export const plainCiRun = plainOf(CiRun)
export const plainResponse = plainOf(IdempotentResponse)
export const plainBuildTicket = plainOf(BuildTicket)
export const plainPreviewTicket = plainOf(PreviewTicket)

/** What was found, as plain JSON, or `undefined`. */
export const found = <A, B>(plain: (value: A) => B, value: Option.Option<A>): B | undefined =>
  Option.getOrUndefined(Option.map(value, plain))

/** Asserts that a record was found, and that every field of it is as expected. */
export const assertFound = <A>(plain: (value: A) => unknown, value: Option.Option<A>, expected: A): void =>
  assert.deepStrictEqual(found(plain, value), plain(expected))

// The promises of every list: its order, its limit, and that it continues after any record of it.

/** The ids of records. */
export const idsOf = <Id extends string>(all: ReadonlyArray<{ readonly id: Id }>): Array<Id> => all.map(({ id }) => id)

/** Asserts that a list is exactly these, in this order, and within every limit the first of these after any of them. */
export const assertPages = Effect.fnUntraced(function* <A, E, R>(
  all: ReadonlyArray<A>,
  page: (limit: number, after: A | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>
) {
  for (const after of [undefined, ...all]) {
    const rest = after === undefined ? all : all.slice(all.indexOf(after) + 1)
    for (let limit = 1; limit <= all.length + 1; limit++) {
      assert.deepStrictEqual(yield* page(limit, after), rest.slice(0, limit))
    }
  }
})

/** Asserts that a list that continues nowhere is exactly these, in this order, and within every limit the first of these. */
export const assertFirst = <A, E, R>(
  all: ReadonlyArray<A>,
  first: (limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>
) =>
  Effect.forEach(
    Array.from({ length: all.length + 1 }, (_, index) => index + 1),
    (limit) => Effect.map(first(limit), (found) => assert.deepStrictEqual(found, all.slice(0, limit)))
  )

// Texts that hold every character that a name may hold, and those that engines often treat wrongly.

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0)
const isSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xe000

const maxNameLength = 1024

/** The characters in their order, cut into names of the greatest length. */
const inNames = (characters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names: Array<string> = []
  let name = ""
  for (const character of characters) {
    if (name.length + character.length > maxNameLength) {
      names.push(name)
      name = ""
    }
    name += character
  }
  return [...names, name]
}

const range = (from: number, to: number, step = 1): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => from + index * step)
    .filter((code) => !isControl(code) && !isSurrogate(code))
    .map((code) => String.fromCodePoint(code))

/**
 * Names that together hold every allowed character of the basic plane and some of each of the sixteen other planes,
 * including the first and the last. No two begin with the same character.
 */
export const everyCharacter: ReadonlyArray<string> = [
  ...inNames(range(0, 0x1_0000)),
  ...Array.from({ length: 16 }, (_, index) => (index + 1) * 0x1_0000).flatMap((plane) =>
    inNames([...range(plane, plane + 0x1_0000, 0x101), String.fromCodePoint(plane + 0xffff)])
  )
]

/** Short texts of different kinds. No two are equal under any comparison that an engine might use. */
export const awkward: ReadonlyArray<string> = [
  // Characters with a meaning in query languages, templates, paths or patterns.
  `'; DROP TABLE accounts; --`,
  `"quoted" 'text' \`back\` \\ \\\\ \\n \\u0000 \\x00`,
  "100%_of {them} ${all} $1 :name ?1 @a #b",
  "null",
  "NULL",
  "undefined",
  "__proto__",
  "{}",
  "[]",
  "0",
  "-0",
  "1e3",
  "true",
  "%00%2F%0a&amp;&#0;<b>",
  "-- /* */ //",
  // Spaces, also at the ends.
  " ",
  "  ",
  " leading",
  "trailing ",
  "no\u00a0break",
  "ideographic\u3000space",
  "\ufeffmark",
  "line\u2028separator",
  "paragraph\u2029separator",
  // Texts that look equal, or that a language treats as equal, and aren't.
  "caf\u00e9",
  "cafe\u0301",
  "CAF\u00c9",
  "cafe",
  "stra\u00dfe",
  "strasse",
  "STRA\u1e9eE",
  "\u0130stanbul",
  "istanbul",
  "\u0131stanbul",
  "Istanbul",
  "\u212a",
  "K",
  "\ufb01",
  "fi",
  "\uff21",
  "A",
  // Combining characters: first, many, joined, with selectors, invisible.
  "\u0301first",
  `z${"\u0335\u0341\u0362".repeat(100)}algo`,
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f466}",
  "\u{1f469}\u{1f469}\u{1f466}",
  "\u2764\ufe0f",
  "\u2764",
  "soft\u00adhyphen",
  "zero\u200bwidth",
  // Right to left, and reversed.
  "\u05e9\u05dc\u05d5\u05dd",
  "\u0645\u0631\u062d\u0628\u0627 abc \u0661\u0662",
  "\u202egnp.exe\u202c",
  "\u2067isolate\u2069",
  // Around the surrogates, and the last characters of the first and the last plane.
  "\ud7ff\ue000",
  "\ufffe\uffff",
  "\u{10000}\u{1ffff}",
  "\u{e0001}\u{f0000}\u{10ffff}"
]

// The cases that every store of records shares: whatever a record holds, each call that finds it answers it unchanged, and no text is
// taken for another.

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
const longText = "漢字仮名交じり文".repeat(128).slice(0, 1023)

/** Texts of every kind, those among them that differ only in a space at the end or in the last of a thousand characters. */
const texts = [...awkward, ...everyCharacter, "trailing", `${longText}甲`, `${longText}乙`]

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
