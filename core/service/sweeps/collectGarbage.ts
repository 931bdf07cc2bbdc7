import { Array, DateTime, Duration, Effect, Schema, Stream } from "effect"
import { ReservationId } from "../../model/Reservation.ts"
import { ObjectStore } from "../../ports/ObjectStore.ts"
import { SweepStore } from "../../ports/SweepStore.ts"
import { isForeign, isOrphaned } from "../../rules/sweeps.ts"
import { Settings } from "../Settings.ts"
import { makeUnsharedFilter } from "../unsharedFilter.ts"
import { makePendingRemovals } from "./pendingRemovals.ts"
import type { StepOptions, SweepJob } from "./SweepJob.ts"
import { makeSweepTime } from "./sweepTime.ts"

const Prefix = Schema.Literals(["uploads/", "hosted/"])
const Cursor = Schema.Struct({ prefix: Prefix, after: Schema.optionalKey(Schema.String) })
type Cursor = typeof Cursor.Type

/** How many objects a step lists. */
const scanSize = 1000

const reservationOf = (key: string) => ReservationId.make(key.split("/")[1] ?? "")

/** Deletes orphaned objects (`isOrphaned`): compares the object store with the metadata, once a day because that takes long. */
export const makeCollectGarbage = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const store = yield* SweepStore
  const onlyUnshared = yield* makeUnsharedFilter
  const pendingRemovals = yield* makePendingRemovals
  const time = yield* makeSweepTime
  const { grace } = (yield* Settings).sweep

  /** The orphans among some objects, without those that `delete_objects` deletes: a dry run still finds these here. */
  const orphansAmong = Effect.fnUntraced(function* <A extends { readonly key: string }>(
    found: ReadonlyArray<A>,
    prefix: string,
    { dryRun, foreign }: StepOptions
  ) {
    const until = DateTime.subtractDuration(yield* time, grace)
    const ids = Array.dedupe(found.map(({ key }) => reservationOf(key)))
    const known = new Map((yield* store.findReservations(ids)).map((one) => [one.id, one]))
    const keepsUnknown = !foreign && isForeign(known.size, ids.length - known.size)
    if (keepsUnknown) {
      yield* Effect.logWarning(
        `Most objects below ${prefix} belong to no reservation of this database, so they are kept. ` +
          "If no other deployment uses this object store, delete them: slipway gc --foreign"
      )
    }
    const orphans = found.filter(({ key }) => {
      const id = reservationOf(key)
      const reservation = known.get(id)
      return (reservation !== undefined || !keepsUnknown) && isOrphaned({ key, reservation: id }, reservation, until)
    })
    const pending = dryRun && orphans.length > 0 ? yield* pendingRemovals : []
    const removed = new Set(pending.map((removal) => reservationOf(removal.prefix)))
    const rest = orphans.filter(({ key }) => !removed.has(reservationOf(key)))
    const isKnown = ({ key }: A) => known.has(reservationOf(key))
    return [...rest.filter(isKnown), ...(yield* onlyUnshared(rest.filter((object) => !isKnown(object))))]
  })

  const job: SweepJob<Cursor> = {
    name: "collect_garbage",
    interval: Duration.days(1),
    cursor: Cursor,
    first: { prefix: "uploads/" },
    step: Effect.fnUntraced(function* ({ after, prefix }, options) {
      const found = yield* Stream.runCollect(Stream.take(objects.scan(prefix, after), scanSize))
      const orphans = yield* orphansAmong(found, prefix, options)
      if (!options.dryRun && orphans.length > 0) yield* objects.remove(orphans.map(({ key }) => key))
      const bytes = orphans.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      const last = found.length < scanSize ? undefined : found.at(-1)
      const following: Cursor | undefined = prefix === "uploads/" ? { prefix: "hosted/" } : undefined
      return {
        swept: [{ rule: "orphans", count: orphans.length, bytes }],
        next: last === undefined ? following : { prefix, after: last.cursor }
      }
    })
  }
  return job
})
