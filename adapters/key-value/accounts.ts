import { DateTime, Effect, Option, Struct } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Resource } from "../../core/model/Resource.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import {
  accounts,
  answers,
  below,
  builds,
  digest,
  keyOf,
  previews,
  retentions,
  runs,
  take,
  timeKey,
  walk
} from "./tables.ts"
import type { KnownAccount } from "../../core/model/MetadataRecord.ts"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import type { IdempotentResponse } from "../../core/model/Idempotency.ts"
import { IdempotencyStore, type Once } from "../../core/ports/IdempotencyStore.ts"
import { RateStore } from "../../core/ports/RateStore.ts"

/** A stored resource: its account, and since when it is kept. */
interface StoredResource {
  readonly accountId: AccountId
  readonly keptAt?: DateTime.Utc | undefined
  readonly setKeptAt: (at: DateTime.Utc | undefined) => Promise<void>
}

const stored = <A extends { readonly accountId: AccountId; readonly keptAt?: DateTime.Utc }>(
  record: A | undefined,
  put: (record: A | Omit<A, "keptAt">) => Promise<void>
): StoredResource | undefined =>
  record && {
    accountId: record.accountId,
    keptAt: record.keptAt,
    setKeptAt: (at) => put(at === undefined ? Struct.omit(record, ["keptAt"]) : { ...record, keptAt: at })
  }

/** The resource, whichever account's. */
const findResource = async (tx: Transaction, resource: Resource): Promise<StoredResource | undefined> => {
  if ("build" in resource) {
    return stored(await builds.find(tx, resource.build), (build) => builds.put(tx, build, build.id))
  }
  if ("preview" in resource) {
    return stored(await previews.find(tx, resource.preview), (preview) => previews.put(tx, preview, preview.shareId))
  }
  return stored(await runs.find(tx, resource.run), (run) => runs.put(tx, run, run.id))
}

/** The key of an account's name, unless the account is being erased. */
export const nameKey = (name: string): string => keyOf("accountName", digest(name))

/** Stores a new account. One that is being erased has no name. */
export const insertAccount = async (tx: Transaction, account: KnownAccount): Promise<void> => {
  await (account.erasure === undefined
    ? tx.set(nameKey(account.name), account.id)
    : tx.set(keyOf("erasing", account.id), account.id))
  await accounts.put(tx, account, account.id)
}

export const accountStore = (run: Run) =>
  AccountStore.of({
    insert: (account) =>
      run(async (tx) => {
        if ((await tx.get(nameKey(account.name))) !== undefined) return false
        await insertAccount(tx, account)
        return true
      }).pipe(Effect.flatMap((inserted) => (inserted ? Effect.void : Effect.fail(new NameTaken())))),
    findByName: (name) =>
      run(async (tx) => {
        const id = await tx.get(nameKey(name))
        return Option.fromUndefinedOr(id === undefined ? undefined : await accounts.find(tx, id))
      }),
    findOwner: (resource) =>
      run(async (tx) => {
        const target = await findResource(tx, resource)
        const account = target && (await accounts.find(tx, target.accountId))
        return Option.fromUndefinedOr(account?.erasure === undefined ? account : undefined)
      }),
    list: run(async (tx) => {
      const names = walk(tx, { ...below("accountName"), reverse: false })
      const all = await take(Infinity, names, ({ value }) => accounts.find(tx, value))
      return all.toSorted((a, b) => byCodeUnit(a.name, b.name))
    })
  })

/** The resource, if it is the account's or no account is given. */
const findOf = async (tx: Transaction, resource: Resource, account: AccountId | undefined) => {
  const target = await findResource(tx, resource)
  return account === undefined || target?.accountId === account ? target : undefined
}

export const retentionStore = (run: Run) =>
  RetentionStore.of({
    rules: (account) => run(async (tx) => Option.fromUndefinedOr((await retentions.find(tx, account))?.rules)),
    setRules: (retention) =>
      run((tx) =>
        Object.keys(retention.rules).length === 0
          ? retentions.remove(tx, retention.accountId)
          : retentions.put(tx, retention, retention.accountId)
      ),
    keep: (resource, at, account) =>
      run(async (tx) => {
        const target = await findOf(tx, resource, account)
        if (target === undefined) return Option.none()
        const { accountId, keptAt = at } = target
        await target.setKeptAt(keptAt)
        return Option.some({ accountId, at: keptAt })
      }),
    release: (resource, account) =>
      run(async (tx) => {
        const target = await findOf(tx, resource, account)
        if (target === undefined) return Option.none()
        const { accountId, keptAt } = target
        await target.setKeptAt(undefined)
        return Option.some({ accountId, ...withoutUndefined({ keptAt }) })
      })
  })

const unexpiredResponse = async (
  tx: Transaction,
  account: AccountId,
  keyHash: string,
  now: DateTime.Utc
): Promise<IdempotentResponse | undefined> => {
  const response = await answers.find(tx, account, keyHash)
  return response !== undefined && DateTime.isLessThan(now, response.expiresAt) ? response : undefined
}

export const idempotencyStore = (run: Run) =>
  IdempotencyStore.of({
    find: (account, keyHash, now) =>
      run(async (tx) => Option.fromUndefinedOr(await unexpiredResponse(tx, account, keyHash, now)))
  })

/** Whether a commit may proceed: no answer is stored under its key. */
export const isFirst = async (tx: Transaction, once: Once | undefined): Promise<boolean> =>
  once === undefined ||
  (await unexpiredResponse(tx, once.answer.accountId, once.answer.keyHash, once.now)) === undefined

/** Keeps the answer with the change that is being committed. */
export const storeResponse = async (tx: Transaction, once: Once | undefined): Promise<void> => {
  if (once !== undefined) await answers.put(tx, once.answer, once.answer.accountId, once.answer.keyHash)
}

const endKey = (fullAt: number, bucket: string): string =>
  keyOf("rateEnd", timeKey(DateTime.makeUnsafe(Math.ceil(fullAt))), bucket)

export const rateStore = (run: Run) =>
  RateStore.of({
    consume: ({ bucket, cost, now, capacity }) =>
      run(async (tx) => {
        const before = await tx.get(keyOf("rate", bucket))
        const fullAt = Math.max(Number(before ?? now), now) + cost
        if (fullAt > now + capacity) return fullAt
        if (before !== undefined) await tx.remove(endKey(Number(before), bucket))
        await tx.set(keyOf("rate", bucket), String(fullAt))
        await tx.set(endKey(fullAt, bucket), bucket)
        return fullAt
      }),
    deleteFull: (now, limit) =>
      run(async (tx) => {
        const { from } = below("rateEnd")
        const to = keyOf("rateEnd", timeKey(DateTime.makeUnsafe(Math.floor(now) + 1)))
        const full = await take(limit, walk(tx, { from, to, reverse: false }), async (one) => one)
        for (const { key, value } of full) {
          await tx.remove(keyOf("rate", value))
          await tx.remove(key)
        }
        return full.length
      })
  })
