import { Effect, Equal, Stream } from "effect"
import type { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import { fine, orWrong, wrong, type Finding } from "./Finding.ts"

/** An object that was just stored. */
export interface Probe {
  /** The prefix of all keys of this check, with its trailing slash. */
  readonly prefix: string
  readonly key: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

/** Checks what the port promises for one object. Returns what the store does instead, or `undefined`. */
const misdeed = Effect.fnUntraced(function* (
  store: ObjectStore["Service"],
  { bytes, contentType, key, prefix }: Probe
) {
  const promoted = `${prefix}promoted`
  yield* store.promote(key, promoted)
  for (const from of [key, promoted]) {
    const object = yield* store.read(from)
    const read = yield* Stream.runFold(
      object.stream,
      (): ReadonlyArray<number> => [],
      (all, chunk) => [...all, ...chunk]
    )
    if (!Equal.equals(read, Array.from(bytes))) return "gives back other bytes than it took"
    if (object.contentType !== contentType)
      return `gives back the content type ${object.contentType} for ${contentType}`
  }
  const listed = (yield* store.list(prefix)).map(({ key, sizeBytes }) => `${key} ${sizeBytes}`)
  const expected = [promoted, key].toSorted().map((one) => `${one} ${bytes.byteLength}`)
  if (!Equal.equals(listed, expected)) return "lists other objects than there are"
  yield* store.remove([key, promoted])
  return (yield* store.list(prefix)).length === 0 ? undefined : "still lists what was deleted"
}, Effect.scoped)

/** What the check finds of a store that keeps what the port promises. */
export const roundTrip = "copies, reads back, lists and deletes"

/** Promotes a stored object; reads, lists and deletes both it and its copy. */
export const roundTripFinding = (name: string, store: ObjectStore["Service"], probe: Probe): Effect.Effect<Finding> =>
  misdeed(store, probe).pipe(
    Effect.map((instead) =>
      instead === undefined
        ? fine(name, roundTrip)
        : wrong(name, { detail: `the store ${instead}`, hint: "Slipway can't rely on this store; use another one" })
    ),
    orWrong(name, ({ _tag }) => ({ detail: `the store failed (${_tag})`, hint: "see the lines above for the reason" }))
  )
