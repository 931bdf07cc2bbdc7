import { Array, Context, DateTime, Duration, Effect, Layer, Option, Schema, Stream } from "effect"
import {
  EndedRule,
  RetentionRule,
  type ExpirySelection,
  type JobName,
  type SweepPosition,
  type SweepStep,
  type Swept
} from "../model/Sweep.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { SweepStore } from "../ports/SweepStore.ts"
import {
  auditIdsUntil,
  endedSelection,
  hasObjects,
  isForeign,
  isOrphaned,
  rulesFor,
  selectionsOf
} from "../rules/sweeps.ts"
import { makeUnsharedFilter, ObjectDeletions } from "./ObjectDeletions.ts"
import { Settings } from "./Settings.ts"
import type { ObjectDeletionId } from "../model/HostedObject.ts"
import { ObjectDeletionStore } from "../ports/ObjectDeletionStore.ts"
import { AuditEntryId } from "../model/AuditEntry.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { RetentionStore } from "../ports/RetentionStore.ts"
import { ReservationId } from "../model/Reservation.ts"
import { ObjectStore } from "../ports/ObjectStore.ts"
import { AccountId } from "../model/Account.ts"
import { QuarantineStore } from "../ports/QuarantineStore.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { ciRunFinished, quarantineEvent } from "../rules/events.ts"
import { importsOf } from "../rules/imports.ts"
import { makeEventPublisher } from "./webhooks.ts"
import { Erasures } from "./Erasures.ts"

/** How a step runs. */
export interface StepOptions {
  /** Reports what would be deleted, and changes nothing. */
  readonly dryRun: boolean
  /** Deletes orphaned objects even if most objects are unknown (`isForeign`). */
  readonly foreign: boolean
}

/** A finished step: what it deleted, and the cursor of the next step, if there is more to do. */
export interface JobStep<Cursor> {
  readonly swept: ReadonlyArray<Swept>
  readonly next?: Cursor | undefined
}

/**
 * A job that deletes in small steps. Each step is correct by itself, so any host can stop after a step and any other can continue
 * from its cursor.
 */
export interface SweepJob<Cursor> {
  /** The key of its lease and checkpoint. */
  readonly name: JobName
  /** The least time between two runs, if longer than the interval of the settings. */
  readonly interval?: Duration.Duration
  readonly cursor: Schema.Codec<Cursor, unknown>
  /** The cursor of a run's first step. */
  readonly first: Cursor
  readonly step: (cursor: Cursor, options: StepOptions) => Effect.Effect<JobStep<Cursor>, WriteFailure>
}

/** A job whose cursor is text, as checkpoints store it. */
export interface StoredSweepJob extends Omit<SweepJob<string | undefined>, "cursor" | "first"> {}

/** Encodes a job's cursor as JSON. A text that isn't such a cursor starts from the beginning. */
export const withStoredCursor = <Cursor>({ cursor, first, step, ...job }: SweepJob<Cursor>): StoredSweepJob => {
  const json = Schema.fromJsonString(cursor)
  const decode = Schema.decodeEffect(json)
  const encode = Schema.encodeSync(json)
  return {
    ...job,
    step: Effect.fnUntraced(function* (text, options) {
      const from = text === undefined ? first : yield* Effect.orElseSucceed(decode(text), () => first)
      const { next, swept } = yield* step(from, options)
      return { swept: swept.filter(({ count }) => count > 0), ...(next === undefined ? {} : { next: encode(next) }) }
    })
  }
}

/** The time that sweeps use: the earlier of this host's clock and the engine's. */
export const makeSweepTime = Effect.map(SweepStore, (store) => Effect.flatMap(DateTime.now, store.earlierTime))

/** How many records without objects are deleted at once, per record with objects. */
const recordBatchFactor = 10

/** Deletes one page of what a selection allows, or counts it in a dry run. */
const makeExpirePage = Effect.gen(function* () {
  const store = yield* SweepStore
  const removals = yield* ObjectDeletions
  const { batch } = (yield* Settings).sweep

  return Effect.fnUntraced(function* (selection: ExpirySelection, after: string | undefined, dryRun: boolean) {
    const limit = hasObjects(selection.rule) ? batch : recordBatchFactor * batch
    const { due, next } = yield* store.due(selection, { after, limit })
    const items = Effect.forEach(due, ({ id, reservations }) =>
      Effect.map(removals.of(reservations), (removals) => ({ id, removals }))
    )
    const expires = !dryRun && due.length > 0
    const expired = expires ? new Set(yield* store.expire(selection, yield* items)) : undefined
    const deleted = expired === undefined ? due : due.filter(({ id }) => expired.has(id))
    const bytes = deleted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const swept: Swept = { rule: selection.rule, count: deleted.length, bytes }
    return { swept, next }
  })
})

const pageSize = 1000

/** Every removal that isn't finished, due or not. */
const makePendingObjectDeletions = Effect.map(ObjectDeletionStore, (store) =>
  Stream.runCollect(
    Stream.paginate(undefined, (after: ObjectDeletionId | undefined) =>
      Effect.map(store.list({ after, limit: pageSize }), (page) => {
        const last = page.length < pageSize ? undefined : page.at(-1)?.id
        return [page, Option.fromUndefinedOr(last)] as const
      })
    )
  )
)

const ExpiryCursor = Schema.Struct({ rule: EndedRule, after: Schema.optionalKey(Schema.String) })

const following = (rule: EndedRule): typeof ExpiryCursor.Type | undefined => {
  const next = EndedRule.literals[EndedRule.literals.indexOf(rule) + 1]
  return next === undefined ? undefined : { rule: next }
}

/** Expires reservations that were abandoned or superseded, and sessions, share links, tokens and keys that ended (`EndedRule`). */
const makeExpireReservations = Effect.gen(function* () {
  const expirePage = yield* makeExpirePage
  const time = yield* makeSweepTime
  const { reservationTtl, sweep } = yield* Settings

  const job: SweepJob<typeof ExpiryCursor.Type> = {
    name: "expire_reservations",
    cursor: ExpiryCursor,
    first: { rule: EndedRule.literals[0] },
    step: Effect.fnUntraced(function* ({ after, rule }, { dryRun }) {
      const selection = endedSelection(rule, yield* time, { grace: sweep.grace, reservationTtl })
      const { next, swept } = yield* expirePage(selection, after, dryRun)
      return { swept: [swept], next: next === undefined ? following(rule) : { rule, after: next } }
    })
  }
  return job
})

/** The account's name, its rule and the page; without an account or rule, the first one. */
const AccountsCursor = Schema.Struct({
  of: Schema.Literal("accounts"),
  account: Schema.optionalKey(Schema.String),
  rule: Schema.optionalKey(RetentionRule),
  after: Schema.optionalKey(Schema.String)
})
const AuditCursor = Schema.Struct({ of: Schema.Literal("audit"), before: Schema.optionalKey(AuditEntryId) })
const RetentionCursor = Schema.Union([AccountsCursor, AuditCursor])
type RetentionCursor = typeof RetentionCursor.Type
type RetentionStep = JobStep<RetentionCursor>

/** Expires what the retention rules of each account no longer keep, and then old entries of the audit log. */
const makeApplyRetention = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const auditLog = yield* AuditLog
  const retention = yield* RetentionStore
  const expirePage = yield* makeExpirePage
  const time = yield* makeSweepTime
  const { keepAudit, retention: deployment, sweep } = yield* Settings
  const allAccounts = yield* Effect.cachedWithTTL(accounts.list, "1 minute")

  const stepAccounts = Effect.fnUntraced(function* (
    { account: name, after, rule }: typeof AccountsCursor.Type,
    dryRun: boolean
  ): Effect.fn.Return<RetentionStep, WriteFailure> {
    const remaining = (yield* allAccounts).filter((one) => name === undefined || one.name >= name)
    const [account, following] = remaining
    if (account === undefined) return { swept: [], next: { of: "audit" } }
    const accountRules = Option.getOrElse(yield* retention.rules(account.id), () => ({}))
    const selections = selectionsOf(account.id, rulesFor(deployment, accountRules), yield* time)
    const index = rule === undefined ? 0 : selections.findIndex((selection) => selection.rule === rule)
    const [selection, nextSelection] = index < 0 ? [] : selections.slice(index)
    const nextAccount: RetentionCursor =
      following === undefined ? { of: "audit" } : { of: "accounts", account: following.name }
    if (selection === undefined) return { swept: [], next: nextAccount }
    const page = yield* expirePage(selection, account.name === name ? after : undefined, dryRun)
    const swept = [{ ...page.swept, account: account.name }]
    const ofAccount = { of: "accounts", account: account.name } as const
    if (page.next !== undefined) return { swept, next: { ...ofAccount, rule: selection.rule, after: page.next } }
    return { swept, next: nextSelection === undefined ? nextAccount : { ...ofAccount, rule: nextSelection.rule } }
  })

  const stepAudit = Effect.fnUntraced(function* (
    { before: last }: typeof AuditCursor.Type,
    dryRun: boolean
  ): Effect.fn.Return<RetentionStep, WriteFailure> {
    if (keepAudit === "forever") return { swept: [] }
    const before = DateTime.subtractDuration(yield* time, keepAudit)
    const limit = recordBatchFactor * sweep.batch
    const listed = dryRun ? yield* auditLog.list({ before: last ?? auditIdsUntil(before), limit }) : []
    const count = dryRun ? listed.length : yield* auditLog.expire({ before, limit })
    const oldest = listed.at(-1)
    const next: RetentionCursor = oldest === undefined ? { of: "audit" } : { of: "audit", before: oldest.id }
    return { swept: [{ rule: "audit", count, bytes: 0 }], next: count < limit ? undefined : next }
  })

  const job: SweepJob<RetentionCursor> = {
    name: "apply_retention",
    cursor: RetentionCursor,
    first: { of: "accounts" },
    step: (cursor, { dryRun }) => (cursor.of === "accounts" ? stepAccounts(cursor, dryRun) : stepAudit(cursor, dryRun))
  }
  return job
})

/** Needs no position: what was published is no longer due. */
const PublicationCursor = Schema.Struct({})

/** Publishes the ends of quarantines, and of CI runs of which an import is missing. It deletes nothing. */
const makePublishEnds = Effect.gen(function* () {
  const quarantines = yield* QuarantineStore
  const histories = yield* TestHistoryStore
  const publish = yield* makeEventPublisher
  const time = yield* makeSweepTime
  const { batch } = (yield* Settings).sweep

  const job: SweepJob<typeof PublicationCursor.Type> = {
    name: "publish_ends",
    cursor: PublicationCursor,
    first: {},
    step: Effect.fnUntraced(function* (cursor, { dryRun }) {
      if (dryRun) return { swept: [] }
      const now = yield* time
      const query = { until: now, limit: batch }
      const expired = yield* quarantines.due(query)
      for (const one of expired) {
        yield* publish(quarantineEvent("quarantine.expired", one), now, (event) =>
          quarantines.expire({ quarantine: one.quarantine, at: now, event })
        )
      }
      const unfinished = yield* histories.unfinished(query)
      for (const one of unfinished) {
        const imports = importsOf(one.ciRun.imports, DateTime.toEpochMillis(now))
        yield* publish(ciRunFinished(one, imports), now, (event) => histories.finish({ ciRun: one.ciRun, event }))
      }
      return { swept: [], next: Math.max(expired.length, unfinished.length) < batch ? undefined : cursor }
    })
  }
  return job
})

/** Needs no position: each step claims the removals that are due. */
const DeletionCursor = Schema.Struct({})

/** Deletes the objects of deleted, expired and erased uploads, as far as that wasn't done at once. */
const makeDeleteObjects = Effect.gen(function* () {
  const removals = yield* ObjectDeletions
  const pendingObjectDeletions = yield* makePendingObjectDeletions
  const time = yield* makeSweepTime
  const { batch } = (yield* Settings).sweep

  const job: SweepJob<typeof DeletionCursor.Type> = {
    name: "delete_objects",
    cursor: DeletionCursor,
    first: {},
    step: Effect.fnUntraced(function* (cursor, { dryRun }) {
      if (dryRun) {
        const now = yield* time
        const due = (yield* pendingObjectDeletions).filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
        return { swept: [{ rule: "removals", count: due.length, bytes: 0 }] }
      }
      const { bytes, claimed, objects } = yield* removals.sweep(batch)
      return { swept: [{ rule: "removals", count: objects, bytes }], next: claimed === 0 ? undefined : cursor }
    })
  }
  return job
})

const Prefix = Schema.Literals(["uploads/", "hosted/"])
const GarbageCursor = Schema.Struct({ prefix: Prefix, after: Schema.optionalKey(Schema.String) })
type GarbageCursor = typeof GarbageCursor.Type

/** How many objects a step lists. */
const scanSize = 1000

const reservationOf = (key: string) => ReservationId.make(key.split("/")[1] ?? "")

/** Deletes orphaned objects (`isOrphaned`): compares the object store with the metadata, once a day because that takes long. */
const makeCollectGarbage = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const store = yield* SweepStore
  const onlyUnshared = yield* makeUnsharedFilter
  const pendingObjectDeletions = yield* makePendingObjectDeletions
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
    const pending = dryRun && orphans.length > 0 ? yield* pendingObjectDeletions : []
    const removed = new Set(pending.map((removal) => reservationOf(removal.prefix)))
    const rest = orphans.filter(({ key }) => !removed.has(reservationOf(key)))
    const isKnown = ({ key }: A) => known.has(reservationOf(key))
    return [...rest.filter(isKnown), ...(yield* onlyUnshared(rest.filter((object) => !isKnown(object))))]
  })

  const job: SweepJob<GarbageCursor> = {
    name: "collect_garbage",
    interval: Duration.days(1),
    cursor: GarbageCursor,
    first: { prefix: "uploads/" },
    step: Effect.fnUntraced(function* ({ after, prefix }, options) {
      const scanned = yield* Stream.runCollect(Stream.take(objects.scan(prefix, after), scanSize))
      const orphans = yield* orphansAmong(scanned, prefix, options)
      if (!options.dryRun && orphans.length > 0) yield* objects.remove(orphans.map(({ key }) => key))
      const bytes = orphans.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
      const last = scanned.length < scanSize ? undefined : scanned.at(-1)
      const following: GarbageCursor | undefined = prefix === "uploads/" ? { prefix: "hosted/" } : undefined
      return {
        swept: [{ rule: "orphans", count: orphans.length, bytes }],
        next: last === undefined ? following : { prefix, after: last.cursor }
      }
    })
  }
  return job
})

/** The account whose erasure was finished last, if any. */
const ErasureCursor = Schema.Struct({ after: Schema.optionalKey(AccountId) })

/** Finishes the erasure of accounts. */
const makeEraseAccounts = Effect.gen(function* () {
  const erasures = yield* Erasures

  const job: SweepJob<typeof ErasureCursor.Type> = {
    name: "erase_accounts",
    cursor: ErasureCursor,
    first: {},
    step: Effect.fnUntraced(function* (cursor, { dryRun }) {
      const account = (yield* erasures.list).find(({ id }) => cursor.after === undefined || id > cursor.after)
      if (account === undefined) return { swept: [] }
      const following = { after: account.id }
      if (dryRun) return { swept: [{ rule: "erased", ...(yield* erasures.next(account.id)) }], next: following }
      const { bytes = 0, objects: _, ...records } = yield* erasures.step(account)
      const count = Object.values(records).reduce((sum, some) => sum + (some ?? 0), 0)
      return { swept: [{ rule: "erased", count, bytes }], next: count === 0 ? following : cursor }
    })
  }
  return job
})

/** Deletes what expired, what retention rules no longer keep, and orphaned objects. @see docs/retention.md */
export class Sweeps extends Context.Service<
  Sweeps,
  {
    /** The jobs of a sweep, in the order in which they run. */
    readonly jobs: ReadonlyArray<StoredSweepJob>
    /**
     * One step of a sweep that runs every job in order: the first step, or the one at `from`, the `next` of the step before. A dry
     * run only reports what would be deleted. `foreign` deletes orphaned objects even if most are unknown (`isForeign`).
     */
    readonly step: (params: {
      readonly dryRun: boolean
      readonly foreign?: boolean | undefined
      readonly from?: SweepPosition | undefined
    }) => Effect.Effect<SweepStep, WriteFailure>
  }
>()("slipway/core/service/sweeps/Sweeps") {
  static readonly layer = Layer.effect(
    Sweeps,
    Effect.gen(function* () {
      const jobs = [
        withStoredCursor(yield* makeExpireReservations),
        withStoredCursor(yield* makeApplyRetention),
        withStoredCursor(yield* makeEraseAccounts),
        withStoredCursor(yield* makeDeleteObjects),
        withStoredCursor(yield* makeCollectGarbage),
        withStoredCursor(yield* makePublishEnds)
      ]
      return Sweeps.of({
        jobs,
        step: Effect.fn("Sweeps.step")(function* ({ dryRun, foreign = false, from }) {
          const [job, following] = jobs.slice(from === undefined ? 0 : jobs.findIndex(({ name }) => name === from.job))
          if (job === undefined) return { swept: [] }
          const { next: cursor, swept } = yield* job.step(from?.cursor, { dryRun, foreign })
          if (cursor !== undefined) return { swept, next: { job: job.name, cursor } }
          return { swept, ...(following === undefined ? {} : { next: { job: following.name } }) }
        })
      })
    })
  )
}
