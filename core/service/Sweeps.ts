import { Array, Context, DateTime, Effect, Layer, Option, Schema, Stream } from "effect"
import { AccountId, type Account } from "../model/Account.ts"
import { ReservationId } from "../model/Reservation.ts"
import type { RemovalId } from "../model/Removal.ts"
import { EndedRule, RetentionRule, type SweepOrder } from "../model/Sweep.ts"
import { AuditEntryId } from "../model/AuditEntry.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { RemovalStore } from "../ports/RemovalStore.ts"
import { RetentionStore } from "../ports/RetentionStore.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { ordersOf, rulesFor } from "../rules/retention.ts"
import { auditIdsUntil, endedOrders, isForeign, isOrphaned } from "../rules/sweeps.ts"
import { Erasures } from "./Erasures.ts"
import { Removals } from "./Removals.ts"
import { Settings } from "./Settings.ts"
import { makeUnsharedFilter } from "./unsharedFilter.ts"

/** What a part of a sweep took, or would take: by which rule, of which account, how many things and how many bytes. */
export const Swept = Schema.Struct({
  rule: Schema.Union([EndedRule, RetentionRule, Schema.Literals(["audit", "erased", "removals", "leftovers"])]),
  account: Schema.optionalKey(Schema.String),
  count: Schema.Int,
  bytes: Schema.Finite
})
export type Swept = typeof Swept.Type

/** Where a sweep goes on. */
const Cursor = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ at: Schema.Literal("ended"), nth: Schema.Int, after: Schema.optionalKey(Schema.String) }),
    Schema.Struct({
      at: Schema.Literal("account"),
      account: Schema.optionalKey(Schema.String),
      nth: Schema.Int,
      after: Schema.optionalKey(Schema.String)
    }),
    Schema.Struct({ at: Schema.Literal("audit"), after: Schema.optionalKey(Schema.String) }),
    Schema.Struct({ at: Schema.Literal("erased"), after: Schema.optionalKey(AccountId) }),
    Schema.Struct({ at: Schema.Literal("removals") }),
    Schema.Struct({ at: Schema.Literal("leftovers"), nth: Schema.Int, after: Schema.optionalKey(Schema.String) })
  ])
)
type Cursor = typeof Cursor.Type
const decodeCursor = Schema.decodeEffect(Cursor)
const encodeCursor = Schema.encodeSync(Cursor)

/** One step of a sweep: what it took, and where the next one goes on, if there is more. */
export const SweepStep = Schema.Struct({ swept: Schema.Array(Swept), next: Schema.optionalKey(Schema.String) })
export type SweepStep = typeof SweepStep.Type

const prefixes = ["uploads/", "hosted/"] as const

/** How many times as many things without bytes are taken at once as things with bytes. */
const recordBatchFactor = 10

const hasNoBytes = ({ rule }: SweepOrder): boolean =>
  rule === "runs" || rule === "billed" || !/^(?:abandoned|superseded|previews|builds)/u.test(rule)

/**
 * Takes what nobody needs any more, and what the rules of retention let go, in small steps: each is right by itself, so that a
 * sweep can be broken off and gone on with at any of them, by any host.
 *
 * It goes by the earlier one of this host's time and its engine's.
 */
export class Sweeps extends Context.Service<
  Sweeps,
  {
    /**
     * One step of a sweep: the first one, or the one at `place`, which is the `next` of the step before. A dry run only tells what
     * would go. `foreign` takes what is left over in the object store also where most of it is unknown (`isForeign`).
     */
    readonly step: (order: {
      readonly dryRun: boolean
      readonly foreign?: boolean | undefined
      readonly place?: string | undefined
    }) => Effect.Effect<SweepStep, WriteFailure>
  }
>()("slipway/core/service/Sweeps") {
  static readonly layer = Layer.effect(
    Sweeps,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const objects = yield* ObjectStore
      const store = yield* SweepStore
      const retention = yield* RetentionStore
      const removalStore = yield* RemovalStore
      const removals = yield* Removals
      const auditLog = yield* AuditLog
      const erasures = yield* Erasures
      const unheld = yield* makeUnsharedFilter
      const { keepAudit, reservationTtl, retention: deployment, sweep } = yield* Settings
      const allAccounts = yield* Effect.cachedWithTTL(accounts.list, "1 minute")

      const time = Effect.flatMap(DateTime.now, store.earlierTime)

      /** A page of what an order lets go. */
      const page = Effect.fnUntraced(function* (order: SweepOrder, after: string | undefined, dryRun: boolean) {
        const limit = hasNoBytes(order) ? recordBatchFactor * sweep.batch : sweep.batch
        const found = yield* store.due(order, { after, limit })
        const ids = found.due.map(({ id }) => id)
        const removing = Effect.forEach(found.due, ({ id, reservations }) =>
          Effect.map(removals.of(reservations), (removals) => ({ id, removals }))
        )
        const isTaking = !dryRun && ids.length > 0
        const taken = new Set(isTaking ? yield* store.expire(order, yield* removing) : ids)
        const gone = found.due.filter(({ id }) => taken.has(id))
        return {
          swept: {
            rule: order.rule,
            count: gone.length,
            bytes: gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
          },
          next: found.next
        }
      })

      const step = (swept: Swept, next: Cursor | undefined): SweepStep => ({
        swept: swept.count === 0 ? [] : [swept],
        ...(next === undefined ? {} : { next: encodeCursor(next) })
      })

      const sweepEnded = Effect.fnUntraced(function* (
        { after, nth }: Extract<Cursor, { at: "ended" }>,
        dryRun: boolean
      ) {
        const orders = endedOrders(yield* time, { grace: sweep.grace, reservationTtl })
        const order = orders[nth]
        if (order === undefined) return { swept: [], next: encodeCursor({ at: "account", nth: 0 }) }
        const { next, swept } = yield* page(order, after, dryRun)
        return step(swept, next === undefined ? { at: "ended", nth: nth + 1 } : { at: "ended", nth, after: next })
      })

      const sweepAccount = Effect.fnUntraced(function* (place: Extract<Cursor, { at: "account" }>, dryRun: boolean) {
        const all = yield* allAccounts
        const account: Account | undefined = all.find(
          ({ name }) => place.account === undefined || name >= place.account
        )
        if (account === undefined) return { swept: [], next: encodeCursor({ at: "audit" }) }
        const own = Option.getOrElse(yield* retention.rules(account.id), () => ({}))
        const order = ordersOf(account.id, rulesFor(deployment, own), yield* time)[place.nth]
        const following = all.find(({ name }) => name > account.name)
        const nextAccount: Cursor =
          following === undefined ? { at: "audit" } : { at: "account", account: following.name, nth: 0 }
        if (order === undefined) return { swept: [], next: encodeCursor(nextAccount) }
        const { next, swept } = yield* page(order, place.after, dryRun)
        const nth = next === undefined ? place.nth + 1 : place.nth
        const after = next === undefined ? {} : { after: next }
        return step({ ...swept, account: account.name }, { at: "account", account: account.name, nth, ...after })
      })

      const sweepAuditLog = Effect.fnUntraced(function* ({ after }: Extract<Cursor, { at: "audit" }>, dryRun: boolean) {
        if (keepAudit === "forever") return { swept: [], next: encodeCursor({ at: "erased" }) }
        const before = DateTime.subtractDuration(yield* time, keepAudit)
        const limit = recordBatchFactor * sweep.batch
        const place = after === undefined ? auditIdsUntil(before) : AuditEntryId.make(after)
        const found = dryRun ? yield* auditLog.list({ before: place, limit }) : []
        const count = dryRun ? found.length : yield* auditLog.expire({ before, limit })
        const rest: Cursor =
          dryRun && found.length > 0 ? { at: "audit", after: found.at(-1)?.id ?? "" } : { at: "audit" }
        return step({ rule: "audit", count, bytes: 0 }, count < limit ? { at: "erased" } : rest)
      })

      /** Goes on with an account whose erasure was broken off, or that is settled by now. */
      const eraseNext = Effect.fnUntraced(function* (place: Extract<Cursor, { at: "erased" }>, dryRun: boolean) {
        const one = (yield* erasures.list).find(({ id }) => place.after === undefined || id > place.after)
        if (one === undefined) return { swept: [], next: encodeCursor({ at: "removals" }) }
        const following: Cursor = { at: "erased", after: one.id }
        if (dryRun) return step({ rule: "erased", ...(yield* erasures.next(one.id)) }, following)
        const { bytes = 0, objects: _, ...records } = yield* erasures.step(one)
        const count = Object.values(records).reduce((sum, some) => sum + (some ?? 0), 0)
        return step({ rule: "erased", count, bytes }, count === 0 ? following : place)
      })

      const allRemovals = Stream.paginate(undefined, (after: RemovalId | undefined) =>
        Effect.map(removalStore.list({ after, limit: 1000 }), (found) => {
          const last = found.at(-1)
          return [found, found.length < 1000 ? Option.none() : Option.fromUndefinedOr(last?.id)] as const
        })
      ).pipe(Stream.runCollect)

      const sweepRemovals = Effect.fnUntraced(function* (dryRun: boolean) {
        const leftovers: Cursor = { at: "leftovers", nth: 0 }
        if (dryRun) {
          const now = yield* time
          const due = (yield* allRemovals).filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
          return step({ rule: "removals", count: due.length, bytes: 0 }, leftovers)
        }
        const { bytes, objects, claimed } = yield* removals.sweep(sweep.batch)
        return step({ rule: "removals", count: objects, bytes }, claimed === 0 ? leftovers : { at: "removals" })
      })

      /** Objects that are scanned at once. */
      const scanned = 1000

      const collectOrphans = Effect.fnUntraced(function* (
        { after, nth }: Extract<Cursor, { at: "leftovers" }>,
        { dryRun, foreign }: { readonly dryRun: boolean; readonly foreign: boolean }
      ) {
        const prefix = prefixes[nth]
        if (prefix === undefined) return { swept: [] }
        const until = DateTime.subtractDuration(yield* time, sweep.grace)
        const found = yield* Stream.runCollect(Stream.take(objects.scan(prefix, after), scanned))
        const all = found.map((object) => ({ ...object, reservation: object.key.split("/")[1] ?? "" }))
        const ids = Array.dedupe(all.map(({ reservation }) => ReservationId.make(reservation)))
        const known = new Map((yield* store.findReservations(ids)).map((one) => [String(one.id), one]))
        const isHeldBack = !foreign && isForeign(known.size, ids.length - known.size)
        if (isHeldBack) {
          yield* Effect.logWarning(
            `Most of what the object store holds below ${prefix} belongs to no reservation of this database, so it stays. ` +
              "If it is left over and not another deployment's: slipway gc --foreign"
          )
        }
        const left = all.filter(({ key, reservation }) => {
          const one = known.get(reservation)
          return (one !== undefined || !isHeldBack) && isOrphaned({ key, reservation }, one, until)
        })
        // Deletions that a sweep finishes first; a dry run finds their objects here still.
        const removals = dryRun && left.length > 0 ? yield* allRemovals : []
        const deleted = new Set(removals.map(({ prefix }) => prefix.split("/")[1]))
        const beside = left.filter(({ reservation }) => !deleted.has(reservation))
        const orphaned = yield* unheld(beside.filter(({ reservation }) => !known.has(reservation)))
        const gone = [...beside.filter(({ reservation }) => known.has(reservation)), ...orphaned]
        if (!dryRun && gone.length > 0) yield* objects.remove(gone.map(({ key }) => key))
        const bytes = gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        const last = found.length < scanned ? undefined : found.at(-1)
        return step(
          { rule: "leftovers", count: gone.length, bytes },
          last === undefined ? { at: "leftovers", nth: nth + 1 } : { at: "leftovers", nth, after: last.cursor }
        )
      })

      return Sweeps.of({
        step: Effect.fn("Sweeps.step")(function* ({ dryRun, foreign = false, place: written }) {
          const first: Cursor = { at: "ended", nth: 0 }
          const place = written === undefined ? first : yield* Effect.orElseSucceed(decodeCursor(written), () => first)
          switch (place.at) {
            case "ended":
              return yield* sweepEnded(place, dryRun)
            case "account":
              return yield* sweepAccount(place, dryRun)
            case "audit":
              return yield* sweepAuditLog(place, dryRun)
            case "erased":
              return yield* eraseNext(place, dryRun)
            case "removals":
              return yield* sweepRemovals(dryRun)
            case "leftovers":
              return yield* collectOrphans(place, { dryRun, foreign })
          }
        })
      })
    })
  )
}

/** Whether a step at that place compares the object store with the metadata, which takes long in a large store. */
export const isOrphanScan = (place: string): boolean => place.includes('"leftovers"')

/** What several steps took, by rule and account. */
export const sumOf = (swept: Iterable<Swept>): ReadonlyArray<Swept> => {
  const sums = new Map<string, Swept>()
  for (const one of swept) {
    const key = `${one.rule} ${one.account ?? ""}`
    const before = sums.get(key) ?? { ...one, count: 0, bytes: 0 }
    sums.set(key, { ...one, count: before.count + one.count, bytes: before.bytes + one.bytes })
  }
  return [...sums.values()]
}
