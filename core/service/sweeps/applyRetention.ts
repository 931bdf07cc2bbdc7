import { DateTime, Effect, Option, Schema } from "effect"
import { AuditEntryId } from "../../model/AuditEntry.ts"
import { RetentionRule } from "../../model/Sweep.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AuditLog } from "../../ports/AuditLog.ts"
import { RetentionStore } from "../../ports/RetentionStore.ts"
import type { WriteFailure } from "../../ports/WriteFailure.ts"
import { selectionsOf, rulesFor } from "../../rules/retention.ts"
import { auditIdsUntil } from "../../rules/sweeps.ts"
import { Settings } from "../Settings.ts"
import { makeExpirePage, recordBatchFactor } from "./expirePage.ts"
import type { JobStep, SweepJob } from "./SweepJob.ts"
import { makeSweepTime } from "./sweepTime.ts"

/** The account's name, its rule and the page; without an account or rule, the first one. */
const AccountsCursor = Schema.Struct({
  of: Schema.Literal("accounts"),
  account: Schema.optionalKey(Schema.String),
  rule: Schema.optionalKey(RetentionRule),
  after: Schema.optionalKey(Schema.String)
})
const AuditCursor = Schema.Struct({ of: Schema.Literal("audit"), before: Schema.optionalKey(AuditEntryId) })
const Cursor = Schema.Union([AccountsCursor, AuditCursor])
type Cursor = typeof Cursor.Type
type Step = JobStep<Cursor>

/** Expires what the retention rules of each account no longer keep, and then old entries of the audit log. */
export const makeApplyRetention = Effect.gen(function* () {
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
  ): Effect.fn.Return<Step, WriteFailure> {
    const remaining = (yield* allAccounts).filter((one) => name === undefined || one.name >= name)
    const [account, following] = remaining
    if (account === undefined) return { swept: [], next: { of: "audit" } }
    const own = Option.getOrElse(yield* retention.rules(account.id), () => ({}))
    const selections = selectionsOf(account.id, rulesFor(deployment, own), yield* time)
    const index = rule === undefined ? 0 : selections.findIndex((selection) => selection.rule === rule)
    const [selection, nextSelection] = index < 0 ? [] : selections.slice(index)
    const nextAccount: Cursor = following === undefined ? { of: "audit" } : { of: "accounts", account: following.name }
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
  ): Effect.fn.Return<Step, WriteFailure> {
    if (keepAudit === "forever") return { swept: [] }
    const before = DateTime.subtractDuration(yield* time, keepAudit)
    const limit = recordBatchFactor * sweep.batch
    const listed = dryRun ? yield* auditLog.list({ before: last ?? auditIdsUntil(before), limit }) : []
    const count = dryRun ? listed.length : yield* auditLog.expire({ before, limit })
    const oldest = listed.at(-1)
    const next: Cursor = oldest === undefined ? { of: "audit" } : { of: "audit", before: oldest.id }
    return { swept: [{ rule: "audit", count, bytes: 0 }], next: count < limit ? undefined : next }
  })

  const job: SweepJob<Cursor> = {
    name: "apply_retention",
    cursor: Cursor,
    first: { of: "accounts" },
    step: (cursor, { dryRun }) => (cursor.of === "accounts" ? stepAccounts(cursor, dryRun) : stepAudit(cursor, dryRun))
  }
  return job
})
