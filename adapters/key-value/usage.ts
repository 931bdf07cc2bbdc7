import { Struct, type DateTime } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { BuildReservation } from "../../core/model/Build.ts"
import type { HostedObject } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { Reservation } from "../../core/model/Reservation.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import { QuotaName, type Amounts, type Quotas, type QuotaUsage } from "../../core/model/Quota.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { amountsOf, countedOf, monthOf, zeroAmounts } from "../../core/rules/quotas.ts"
import { declaredObjects } from "../../core/rules/reservations.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import type { Run } from "./run.ts"
import { previews, quotas, reservations, take, walk } from "./tables.ts"

/** What an upload takes of each quota. */
const amountsOfUpload = (upload: BuildReservation | Preview): Amounts => ({
  ...amountsOf(declaredObjects(upload.declaration)),
  previewsPerMonth: "shareId" in upload ? 1 : 0
})

const sum = (some: ReadonlyArray<Amounts>): Amounts => {
  const total = { ...zeroAmounts }
  for (const amounts of some) for (const name of QuotaName.literals) total[name] += amounts[name]
  return total
}

/** Stored bytes are counted for all time, and everything else by the month. */
const counterKey = (account: AccountId, name: QuotaName, month: string): string =>
  name === "bytesStored" ? keyOf("stored", account) : keyOf("used", account, month, name)

const counted = async (tx: Transaction, account: AccountId, name: QuotaName, month: string): Promise<number> =>
  Number((await tx.get(counterKey(account, name, month))) ?? 0)

const add = async (tx: Transaction, account: AccountId, month: string, amounts: Partial<Amounts>): Promise<void> => {
  for (const name of QuotaName.literals) {
    const more = amounts[name] ?? 0
    if (more !== 0)
      await tx.set(counterKey(account, name, month), String((await counted(tx, account, name, month)) + more))
  }
}

/** Counts an upload as it is finalized. */
export const countFinalized = (
  tx: Transaction,
  upload: BuildReservation | Preview,
  at: DateTime.Utc
): Promise<void> => {
  const { storedBytes, uploadedBytes } = countedOf(upload)
  return add(tx, upload.accountId, monthOf(at), {
    ...amountsOfUpload(upload),
    bytesStored: storedBytes - (upload.metadataBytes ?? 0),
    bytesPerMonth: uploadedBytes
  })
}

/** Counts an object that uploads share as it is stored, or takes it from what its account keeps. */
export const countHosted = (tx: Transaction, hosted: HostedObject, sign: 1 | -1): Promise<void> =>
  add(tx, hosted.accountId, "", { bytesStored: sign * hosted.sizeBytes })

/** Counts the metadata of an upload or a run as it is stored, or takes it from what its account keeps. */
export const countMetadata = (
  tx: Transaction,
  { accountId, metadataBytes = 0 }: Pick<Reservation, "accountId" | "metadataBytes">,
  sign: 1 | -1
): Promise<void> => add(tx, accountId, "", { bytesStored: sign * metadataBytes })

/** Subtracts an upload that is deleted from what its account keeps. */
export const countDeleted = (tx: Transaction, upload: BuildReservation | Preview): Promise<void> =>
  add(tx, upload.accountId, "", { bytesStored: -countedOf(upload).storedBytes })

/** Counts a run as it is registered. */
export const countRun = async (tx: Transaction, run: TestRun): Promise<void> => {
  await countMetadata(tx, run, 1)
  await add(tx, run.accountId, monthOf(run.createdAt), { runsPerMonth: 1 })
}

/** The account's own quotas. */
export const ownQuotas = async (tx: Transaction, account: AccountId): Promise<Quotas> =>
  Struct.omit((await quotas.find(tx, account)) ?? { accountId: account }, ["accountId"])

const usage = async (tx: Transaction, account: AccountId, month: string, now: DateTime.Utc): Promise<QuotaUsage> => {
  const range = { from: below("open", account, timeKey(now)).to, to: below("open", account).to, reverse: false }
  const open = await take(Infinity, walk(tx, range), async ({ key }) => {
    const id = key.slice(key.lastIndexOf("/") + 1)
    const shareId = await tx.get(keyOf("previewReservation", id))
    return shareId === undefined ? reservations.find(tx, id) : previews.find(tx, shareId)
  })
  const used = { ...zeroAmounts }
  for (const name of QuotaName.literals) used[name] = await counted(tx, account, name, month)
  return {
    used,
    reserved: sum(open.map(amountsOfUpload)),
    own: await ownQuotas(tx, account)
  }
}

/** Whether a commit stays within an account's quotas. */
export const isWithin = async (
  tx: Transaction,
  account: AccountId,
  now: DateTime.Utc,
  within: QuotaCheck | undefined
): Promise<boolean> => {
  if (within === undefined) return true
  const { reserved, used } = await usage(tx, account, within.month, now)
  return QuotaName.literals.every((name) => {
    const limit = within.quotas[name]
    const asked = within.requested[name]
    return limit === undefined || asked === 0 || used[name] + reserved[name] + asked <= limit
  })
}

export const usageStore = (run: Run) =>
  UsageStore.of({
    find: (account, month, now) => run((tx) => usage(tx, account, month, now)),
    setQuotas: (own) => run((tx) => quotas.put(tx, own, own.accountId))
  })
