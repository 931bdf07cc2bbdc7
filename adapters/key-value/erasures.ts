import { DateTime } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { descriptions, type ErasedCounts } from "../../core/model/MetadataRecord.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { addErasedCounts, hostedBy } from "../../core/rules/sweeps.ts"
import { nameKey } from "./accounts.ts"
import { removePreview, removeReservation } from "./builds.ts"
import type { Entry, Run, Transaction } from "./KeyValueStore.ts"
import { accessOf, accountOfRecord, findRecord, type Kind } from "./records.ts"
import { anyUpload, removedUpload, storeRemovals } from "./reservations.ts"
import { accounts, below, builds, keyOf, tables, take, walk } from "./tables.ts"

/** The kinds of records that are erased, in an order in which no record is named by one of a later kind. */
const erasedKinds = Object.keys(tables)
  .filter((kind): kind is Kind => kind in descriptions && descriptions[kind as Kind].erased === "record")
  .toReversed()

/** Every entry of a list, or the one with this key. */
const entriesOf = async function* (tx: Transaction, list: ReadonlyArray<string>): AsyncGenerator<Entry> {
  const key = keyOf(...list)
  const value = await tx.get(key)
  if (value !== undefined) yield { key, value }
  yield* walk(tx, { ...below(...list), reverse: false })
}

/** Deletes at most `limit` records of a kind that no other record names. */
const eraseKind = async (
  tx: Transaction,
  kind: Kind,
  account: AccountId,
  limit: number
): Promise<ReadonlyArray<ErasedCounts>> => {
  const access: ReturnType<typeof accessOf> = accessOf(kind)
  const { erasedAs = "" } = descriptions[kind]
  const erased: Array<ErasedCounts> = []
  for (const list of await access.lists(tx, account)) {
    const gone = await take(limit - erased.length, entriesOf(tx, list), async (entry) => {
      const record = await findRecord(tx, access, access.idOf(entry))
      if (record === undefined || accountOfRecord(kind, record) !== account) return undefined
      if (await access.isNamed(tx, record as never)) return undefined
      const others = await access.remove(tx, record as never)
      return { [erasedAs]: 1, ...others }
    })
    erased.push(...gone)
  }
  return erased
}

const eraseOthers = async (tx: Transaction, account: AccountId, limit: number): Promise<ErasedCounts> => {
  let all: ErasedCounts = {}
  let left = limit
  for (const kind of erasedKinds) {
    if (left <= 0) break
    const gone = await eraseKind(tx, kind, account, left)
    all = gone.reduce(addErasedCounts, all)
    left -= gone.length
  }
  return all
}

/** Forgets an account of which nothing is left, and what was counted of its usage. */
const forget = async (tx: Transaction, account: AccountId): Promise<boolean> => {
  const [left] = await tx.list({ ...below("uploadsOf", account), limit: 1, reverse: false })
  if (left !== undefined) return false
  const counted = await take(Infinity, walk(tx, { ...below("used", account), reverse: false }), async ({ key }) => key)
  for (const key of [...counted, keyOf("stored", account), keyOf("erasing", account)]) await tx.remove(key)
  await accounts.remove(tx, account)
  return true
}

export const erasureStore = (run: Run) =>
  ErasureStore.of({
    begin: (id, erasure) =>
      run(async (tx) => {
        const account = await accounts.find(tx, id)
        if (account === undefined || account.erasure !== undefined) return false
        await tx.remove(nameKey(account.name))
        await accounts.put(tx, { ...account, name: account.id, erasure }, id)
        await tx.set(keyOf("erasing", id), id)
        return true
      }),
    list: run((tx) =>
      take(Infinity, walk(tx, { ...below("erasing"), reverse: false }), async ({ value }) => {
        const account = await accounts.find(tx, value)
        return account?.erasure && { id: account.id, erasure: account.erasure }
      })
    ),
    uploads: ({ account, limit }) =>
      run(async (tx) => {
        if ((await accounts.find(tx, account))?.erasure === undefined) return []
        return take(limit, walk(tx, { ...below("uploadsOf", account), reverse: false }), async ({ value }) => {
          const upload = await anyUpload(tx, value)
          if (upload === undefined) return undefined
          return { ...removedUpload(upload), ...hostedBy(upload.finalizedAt, upload.declaration) }
        })
      }),
    eraseStep: ({ account, limit, now, uploads }) =>
      run(async (tx) => {
        const before = await accounts.find(tx, account)
        if (before?.erasure === undefined) return { erased: {}, isOver: false }
        let gone: ErasedCounts = uploads.length > 0 ? {} : await eraseOthers(tx, account, limit)
        for (const { bytes, id, objects, removals } of uploads) {
          const upload = await anyUpload(tx, id)
          if (upload?.accountId !== account) continue
          let shareLinks = 0
          if ("shareId" in upload) shareLinks = await removePreview(tx, upload)
          else {
            await removeReservation(tx, upload)
            const build = await builds.find(tx, upload.buildId)
            if (build !== undefined) await builds.put(tx, { ...build, version: build.version + 1 }, build.id)
          }
          await storeRemovals(tx, account, removals)
          gone = addErasedCounts(gone, {
            ["shareId" in upload ? "previews" : "uploads"]: 1,
            shareLinks,
            objects,
            bytes
          })
        }
        if (Object.keys(gone).length > 0) {
          const erasure = { ...before.erasure, gone: addErasedCounts(before.erasure.gone, gone) }
          await accounts.put(tx, { ...before, erasure }, account)
          return { erased: gone, isOver: false }
        }
        const isSettled = DateTime.isGreaterThanOrEqualTo(now, before.erasure.settledAt)
        return { erased: gone, isOver: isSettled && (await forget(tx, account)) }
      })
  })
