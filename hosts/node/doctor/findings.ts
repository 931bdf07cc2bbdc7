import { Effect, Equal, Stream } from "effect"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { Fault } from "../engines/engines.ts"

/** What one check found. */
export type Finding =
  | { readonly name: string; readonly ok: true; readonly detail: string }
  | ({ readonly name: string; readonly ok: false } & Fault)

export const fine = (name: string, detail: string): Finding => ({ name, ok: true, detail })

export const wrong = (name: string, { detail, hint }: Fault): Finding => ({ name, ok: false, detail, hint })

/** A check whose failure is a finding too. */
export const orWrong =
  <E>(name: string, faultOf: (error: E) => Fault) =>
  (check: Effect.Effect<Finding, E>): Effect.Effect<Finding> =>
    Effect.catch(check, (error) => Effect.succeed(wrong(name, faultOf(error))))

/** The findings about one engine, and its clock if it has one. */
export interface Checked {
  readonly findings: ReadonlyArray<Finding>
  /** Whether the metadata has the schema of this version, so that this version can read it. */
  readonly isCurrent?: boolean
  readonly clock?: Clock
}

/** One finding about an engine without a clock. */
export const only = (finding: Finding): Checked => ({ findings: [finding] })

/** How far a server's clock is ahead of this machine's, and how uncertain that is. */
export interface Clock {
  readonly of: string
  readonly aheadMillis: number
  readonly exactToMillis: number
}

/**
 * Hosts and stores use their own clocks to decide when URLs, tokens and keys expire. A difference up to a minute is
 * harmless.
 */
const tolerated = 60_000

/** A length of time for people: `4 m 59 s`, `12 s`. */
const long = (millis: number): string => {
  const seconds = Math.round(Math.abs(millis) / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`
}

const spans = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000]
] as const

/** A longer time for people, in the largest unit of which there are at least two: `5 days`, `47 hours`, `1 minute`. */
export const spanOf = (millis: number): string => {
  const [unit, length] = spans.find(([, length]) => millis >= 2 * length) ?? spans[2]
  const count = Math.floor(millis / length)
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

const isBeyond =
  (limit: number) =>
  ({ aheadMillis, exactToMillis }: Clock): boolean =>
    Math.abs(aheadMillis) - exactToMillis > limit

const compared = (clock: Clock): string => {
  if (!isBeyond(1000)(clock)) return `${clock.of}'s is the same`
  return `${clock.of}'s is ${long(clock.aheadMillis)} ${clock.aheadMillis < 0 ? "behind" : "ahead of"} it`
}

/** Compares the servers' clocks with this machine's, and says whose is probably wrong. */
export const clockFinding = (clocks: ReadonlyArray<Clock>): Finding => {
  const name = "clock"
  const detail = `beside this machine's, ${clocks.map(compared).join(", ")}`
  const off = clocks.filter(isBeyond(tolerated))
  if (off.length === 0) return fine(name, detail)
  const others = clocks.map(({ aheadMillis }) => aheadMillis)
  const agree = clocks.length > 1 && Math.max(...others) - Math.min(...others) <= tolerated
  // If the servers agree with each other but not with this machine, this machine is wrong.
  const whose = agree
    ? "this machine's"
    : clocks.length > off.length
      ? `${off.map(({ of }) => of).join(" and ")}'s`
      : "all"
  return wrong(name, { detail, hint: `set ${whose} by NTP: these clocks decide when URLs, sessions and tokens expire` })
}

/** An object that was just stored. */
interface Probe {
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

/** One migration of a schema. */
export interface Done {
  readonly id: number
  readonly name: string
}

const written = ({ id, name }: Done): string => `${id} (${name})`

/** What a database means that a newer version has migrated: SQLite is refused then, as a host refuses it. */
const refusedWhenNewer = (name: string, detail: string): Finding =>
  wrong(name, { detail, hint: "run that version here too" })

/** With PostgreSQL, hosts of the version before keep running while others are upgraded. */
export const usedWhenNewer = (name: string, detail: string): Finding => fine(name, `${detail}, and runs on it`)

/** Whether a database has run every step of this version. */
export const isCurrent = (done: ReadonlyArray<Done>, steps: ReadonlyArray<Done>): boolean =>
  steps.every(({ id }) => done.some((one) => one.id === id))

/** Compares the migrations that a database has run with `steps`, those of this version. */
export const schemaFinding = (
  name: string,
  done: ReadonlyArray<Done>,
  steps: ReadonlyArray<Done>,
  whenNewer = refusedWhenNewer
): Finding => {
  const stranger = done.find(({ id, name }) => steps.some((one) => one.id === id && one.name !== name))
  if (stranger !== undefined) {
    return wrong(name, {
      detail: `its step ${written(stranger)} is not one of Slipway's`,
      hint: "name a database that only Slipway uses"
    })
  }
  const last = done.at(-1)
  if (last === undefined) return fine(name, "no tables yet; the first host that starts makes them")
  const newest = steps.at(-1) ?? last
  if (last.id > newest.id) {
    return whenNewer(name, `a newer Slipway has migrated it to step ${written(last)}; this version knows ${newest.id}`)
  }
  return last.id < newest.id
    ? fine(name, `at step ${written(last)}; the next host that starts migrates it to ${written(newest)}`)
    : fine(name, `at step ${written(newest)}, this version's`)
}
