import { assert } from "@effect/vitest"
import { DateTime, Effect, Schedule, Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { ObjectStore, type PutRequest } from "../../../core/ports/ObjectStore.ts"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import { runPieces } from "../../../core/ports/HostServices.ts"
import { put, Settled, type Answer } from "./objectStoreClient.ts"
import { OpenObjects } from "./leaks.ts"
import type { Cases } from "./suite.ts"

/** What a store can do beyond its port. What is declared is tested. */
export interface Capabilities {
  /** Its presigned URLs are Slipway's own routes, whose answers are known exactly. */
  readonly urlsServedByHost: boolean
  /** Listings tell content types. */
  readonly listsContentType: boolean
  /** Listings tell the digest of every PUT, also of compressed content. Without it they may omit digests. */
  readonly reportsContentHash?: boolean
  /** How many minutes the clock of a host that signs may differ from the store's; 10 by default. */
  readonly skewMinutes?: number
}

export type It = Cases<ObjectStore>

/** The content type of objects whose type doesn't matter. */
export const type = "text/javascript; charset=utf-8"

/** Every character that a key may hold except the slash. */
export const keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!-_.*'()"

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Bytes without a repeated stretch, so that a piece in the wrong place is noticed. */
export const patterned = (length: number): Uint8Array<ArrayBuffer> => {
  while (pattern.byteLength < length) pattern = patternOf(2 * pattern.byteLength)
  return pattern.slice(0, length)
}

const patternOf = (length: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < length; at += 4) view.setUint32(at, at)
  return bytes
}

let pattern = patternOf(1024)

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** What a listing must show of an object after such a PUT. */
export const listed = (key: string, body: Uint8Array, can: Capabilities) => ({
  key,
  sizeBytes: body.byteLength,
  ...(can.listsContentType ? { contentType: type } : {}),
  ...(can.reportsContentHash === true ? { contentHash: sha256(body) } : {})
})

/** Ranges of an object of ten bytes: in the port's form, in the form of a header, and the bytes that they select. */
export const digits = utf8("0123456789")
export const ranges: ReadonlyArray<{
  readonly name: string
  readonly range: ByteRange
  readonly header: string
  readonly content: string
}> = [
  { name: "the middle", range: { offset: 2, length: 3 }, header: "bytes=2-4", content: "234" },
  { name: "one byte", range: { offset: 0, length: 1 }, header: "bytes=0-0", content: "0" },
  { name: "an open end", range: { offset: 7 }, header: "bytes=7-", content: "789" },
  { name: "all by an open end", range: { offset: 0 }, header: "bytes=0-", content: "0123456789" },
  { name: "past the end, cut", range: { offset: 8, length: 99 }, header: "bytes=8-106", content: "89" },
  { name: "the last ones", range: { suffix: 3 }, header: "bytes=-3", content: "789" },
  { name: "more last ones than there are", range: { suffix: 99 }, header: "bytes=-99", content: "0123456789" }
]

/** Compares many bytes without printing them all when they differ. */
export const assertBytes = (actual: Uint8Array, expected: Uint8Array): void => {
  assert.strictEqual(actual.byteLength, expected.byteLength, "the number of bytes")
  assert.isTrue(Buffer.from(actual.buffer, actual.byteOffset, actual.byteLength).equals(expected), "the same bytes")
}

/** A store, a prefix for the case, and the steps that cases consist of. */
export const bench = Effect.gen(function* () {
  const store = yield* ObjectStore
  const prefix = `kit/${randomUUID()}/`
  const expiresAt = DateTime.add(yield* DateTime.now, { hours: 1 })
  const settled = yield* Settled
  const openObjects = yield* OpenObjects

  const presignPut = (request: Partial<PutRequest> & { readonly key: string }) =>
    Effect.map(store.presignPuts([{ contentType: type, sizeBytes: 5, expiresAt, ...request }]), ([url]) => {
      assert.isDefined(url)
      return url ?? ""
    })
  const presignGet = (key: string) => store.presignGet({ key, expiresAt })

  const stored = Effect.fnUntraced(function* (key: string, body: Uint8Array<ArrayBuffer>, contentType = type) {
    const url = yield* presignPut({ key, contentType, sizeBytes: body.byteLength })
    const answer = yield* put(url, contentType, body)
    const { origin, pathname } = new URL(url)
    const said = text(answer.body).slice(0, 300)
    assert.strictEqual(answer.status, 200, `PUT ${origin}${pathname} answered ${answer.status}: ${said}`)
    return key
  })
  const read = Effect.fnUntraced(function* (key: string, range?: ByteRange) {
    // Not every store tells the digest of what it opens; the cases about digests look at it.
    const { contentHash: _digest, stream, ...facts } = yield* store.read(key, range)
    return { ...facts, bytes: yield* Stream.mkUint8Array(stream) }
  }, Effect.scoped)
  /** The bytes of an object as `runPieces` gives them. A piece is looked at only some turns after it came. */
  const readByPieces = Effect.fnUntraced(function* (key: string, range?: ByteRange) {
    const { stream } = yield* store.read(key, range)
    const copied = new Array<Uint8Array>()
    yield* runPieces(stream, (piece) =>
      Effect.sleep("1 millis").pipe(Effect.andThen(Effect.sync(() => void copied.push(Uint8Array.from(piece)))))
    )
    return new Uint8Array(Buffer.concat(copied))
  }, Effect.scoped)
  const contentOf = (key: string) => Effect.map(read(key), ({ bytes }) => text(bytes))
  const errorOf = (key: string, range?: ByteRange) =>
    Effect.map(Effect.flip(Effect.scoped(store.read(key, range))), ({ _tag }) => _tag)
  const keysBelow = (prefix: string) => Effect.map(store.list(prefix), (objects) => objects.map(({ key }) => key))

  /** Neither a listing nor a read knows of the key. */
  const assertMissing = Effect.fnUntraced(function* (key: string) {
    yield* settled
    assert.strictEqual(yield* errorOf(key), "ObjectMissing")
    assert.deepStrictEqual(yield* keysBelow(key.slice(0, key.lastIndexOf("/") + 1)), [])
  })

  /** Waits until nothing is open, because a request ends just after its answer. */
  const assertNothingOpen = Effect.gen(function* () {
    yield* settled
    const left = yield* Effect.repeat(openObjects, {
      schedule: Schedule.spaced("10 millis"),
      while: (count) => count !== undefined && count > 0,
      times: 500
    })
    assert.include([0, undefined], left, "objects that are open still")
  })

  return {
    store,
    prefix,
    expiresAt,
    past: DateTime.subtract(expiresAt, { hours: 1, seconds: 1 }),
    settled,
    openObjects,
    presignPut,
    presignGet,
    stored,
    read,
    readByPieces,
    contentOf,
    errorOf,
    keysBelow,
    assertMissing,
    assertNothingOpen
  }
})

export type Bench = Effect.Success<typeof bench>

/** Asserts that the URL was refused: with 403 by Slipway's own routes, with any refusal by other engines. */
export const assertRefused = ({ status }: Answer, { urlsServedByHost }: Capabilities): void => {
  if (urlsServedByHost) assert.strictEqual(status, 403)
  else assert.isAtLeast(status, 400)
}

/** Every way to change one parameter of a URL's query, with its name. An empty one can't be made shorter. */
export const tamperings = (url: string): ReadonlyArray<readonly [how: string, url: string]> => {
  const edit = (change: (query: URLSearchParams) => void): string => {
    const edited = new URL(url)
    change(edited.searchParams)
    return edited.href
  }
  const all = Array.from(new URL(url).searchParams).flatMap(([name, value]): ReadonlyArray<[string, string]> => [
    [`${name} longer`, edit((query) => query.set(name, `${value}0`))],
    [`${name} shorter`, edit((query) => query.set(name, value.slice(0, -1)))],
    [`${name} other at its end`, edit((query) => query.set(name, value.slice(0, -1) + nextOf(value.slice(-1))))],
    [`${name} other at its start`, edit((query) => query.set(name, nextOf(value.slice(0, 1)) + value.slice(1)))],
    [`no ${name}`, edit((query) => query.delete(name))],
    [`a second ${name}`, edit((query) => query.append(name, `${value}0`))]
  ])
  const query = (edited: string) => new URL(edited).searchParams.toString()
  return all.filter(([, edited]) => query(edited) !== query(url))
}

const nextOf = (character: string): string =>
  /[0-8A-Ya-y]/.test(character) ? String.fromCharCode(character.charCodeAt(0) + 1) : "0"

export const withKey = (url: string, key: string, other: string): string => url.replace(key, other)
