import { utf8ToBytes } from "@noble/hashes/utils.js"
import { DateTime, Result } from "effect"
import type { DeclaredObject } from "../model/Artifact.ts"
import { QuotaExceeded } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"
import {
  QuotaName,
  unlimited,
  type AccountUsage,
  type Amounts,
  type Quotas,
  type QuotaUsage,
  type UsedAmount
} from "../model/Quota.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { bytesText } from "./amounts.ts"
import { declaredObjects, type UploadDeclaration } from "./reservations.ts"

/** The month of a time, `2026-11`, in UTC. */
export const monthOf = (time: DateTime.Utc): string => DateTime.formatIso(time).slice(0, 7)

/** When what counts by the month begins again. */
export const nextMonth = (time: DateTime.Utc): DateTime.Utc =>
  DateTime.add(DateTime.startOf(time, "month"), { months: 1 })

/** How much an account may have unless a setting says otherwise: more than a team stores, and less than a disk holds. */
export const defaultQuotas: Quotas = { bytesStored: 50 * 1024 ** 3 }

/** No amount of any quota. */
export const zeroAmounts: Amounts = { bytesStored: 0, bytesPerMonth: 0, previewsPerMonth: 0, runsPerMonth: 0 }

/**
 * What each upload and run counts for what is stored beside its own text: its row and entries of indexes, its event and entries of the audit
 * log, and the answer kept for an `Idempotency-Key`.
 */
export const bytesPerRecord = 2048

/** What an upload or a run counts as metadata: the bytes of what was declared or reported, as JSON, and `bytesPerRecord`. */
export const metadataBytesOf = (declared: unknown): number =>
  utf8ToBytes(JSON.stringify(declared)).byteLength + bytesPerRecord

/** What an upload of these objects takes, with so many bytes of metadata. */
export const amountsOf = (objects: ReadonlyArray<Pick<DeclaredObject, "sizeBytes">>, metadataBytes = 0): Amounts => {
  const bytes = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return { ...zeroAmounts, bytesStored: bytes + metadataBytes, bytesPerMonth: bytes }
}

/**
 * What a stored upload counts: the bytes that it declared, of which its account stores `storedBytes` until it is deleted, and uploaded
 * `uploadedBytes` in the month of its finalize. Before it is finalized, only its metadata is kept. Shared bytes count once: see
 * `StoredUpload`.
 */
export const countedOf = ({
  declaration,
  finalizedAt,
  metadataBytes = 0,
  stored
}: Pick<Reservation, "finalizedAt" | "metadataBytes" | "stored"> & { readonly declaration: UploadDeclaration }): {
  readonly declaredBytes: number
  readonly storedBytes: number
  readonly uploadedBytes: number
} => {
  const declaredBytes = amountsOf(declaredObjects(declaration)).bytesStored
  if (finalizedAt === undefined) return { declaredBytes, storedBytes: metadataBytes, uploadedBytes: 0 }
  return {
    declaredBytes,
    storedBytes: metadataBytes + (stored?.ownBytes ?? declaredBytes),
    uploadedBytes: stored?.newBytes ?? declaredBytes
  }
}

/** An account's quotas: its own, and for the others those of the settings. One without an end is none. */
export const quotasOf = ({ own }: Pick<QuotaUsage, "own">, defaults: Quotas): Quotas =>
  Object.fromEntries(Object.entries({ ...defaults, ...own }).filter(([, amount]) => amount < unlimited))

/** The usage of an account at a time, with its limits. */
export const usageOf = (usage: QuotaUsage, defaults: Quotas, now: DateTime.Utc): AccountUsage => {
  const quotas = quotasOf(usage, defaults)
  const amount = (name: QuotaName): UsedAmount => ({
    used: usage.used[name],
    reserved: usage.reserved[name],
    ...withoutUndefined({ limit: quotas[name] })
  })
  return {
    month: monthOf(now),
    resetsAt: nextMonth(now),
    bytesStored: amount("bytesStored"),
    bytesPerMonth: amount("bytesPerMonth"),
    previewsPerMonth: amount("previewsPerMonth"),
    runsPerMonth: amount("runsPerMonth")
  }
}

const sentences: Readonly<Record<QuotaName, (has: string, may: string) => string>> = {
  bytesStored: (has, may) => `This account stores ${has} of the ${may} that it may store`,
  bytesPerMonth: (has, may) => `This account has uploaded ${has} of the ${may} that it may upload in a month`,
  previewsPerMonth: (has, may) => `This account has made ${has} of the ${may} previews that it may make in a month`,
  runsPerMonth: (has, may) =>
    `This account has registered ${has} of the ${may} test runs that it may register in a month`
}

const labels: Readonly<Record<QuotaName, (amount: string) => string>> = {
  bytesStored: (amount) => `${amount} stored`,
  bytesPerMonth: (amount) => `${amount} uploaded this month`,
  previewsPerMonth: (amount) => `${amount} previews this month`,
  runsPerMonth: (amount) => `${amount} test runs this month`
}

/** A line for each quota, such as `1.5 GiB of 100 GiB stored`, and when what counts by the month begins again. */
export const usageLines = (usage: AccountUsage): ReadonlyArray<string> => [
  ...QuotaName.literals.map((name) => {
    const { limit, reserved, used } = usage[name]
    const has = amountText(name, used)
    const amount = limit === undefined ? has : `${has} of ${amountText(name, limit)}`
    return labels[name](amount) + (reserved === 0 ? "" : `, ${amountText(name, reserved)} more reserved`)
  }),
  `a new month begins on ${DateTime.formatIso(usage.resetsAt).slice(0, 10)} (UTC)`
]

/** An amount of a quota in words. */
export const amountText = (name: QuotaName, amount: number): string =>
  name.startsWith("bytes") ? bytesText(amount) : String(amount)

/** Quotas as they are set: a number, and one without an end as `unlimited`. */
export const quotasAsSet = (quotas: Quotas): Readonly<Record<string, number | "unlimited">> =>
  Object.fromEntries(
    QuotaName.literals.flatMap((name) => {
      const amount = quotas[name]
      return amount === undefined ? [] : [[name, amount < unlimited ? amount : "unlimited"]]
    })
  )

/** Whether an account may use the requested amounts in addition to its usage. `QuotaExceeded` names the first exceeded quota. */
export const decideQuotas = (
  { reserved, used }: Pick<QuotaUsage, "reserved" | "used">,
  quotas: Quotas,
  requested: Amounts,
  now: DateTime.Utc
): Result.Result<void, QuotaExceeded> => {
  for (const name of QuotaName.literals) {
    const limit = quotas[name]
    const has = used[name] + reserved[name]
    if (limit === undefined || requested[name] === 0 || has + requested[name] <= limit) continue
    const open = reserved[name] === 0 ? "" : `, open reservations included`
    const rest = requested[name] === 1 ? "" : `, and this takes ${amountText(name, requested[name])}`
    const text = `${sentences[name](amountText(name, has), amountText(name, limit))}${open}${rest}`
    if (name === "bytesStored") {
      return Result.fail(
        new QuotaExceeded({ detail: `${text}; delete what is not needed any more.`, quota: name, used: has, limit })
      )
    }
    const resetsAt = nextMonth(now)
    const reset = DateTime.formatIso(resetsAt)
    return Result.fail(
      new QuotaExceeded({
        detail: `${text}; it begins again on ${reset.slice(0, 10)} (UTC).`,
        quota: name,
        used: has,
        limit,
        resetsAt: reset
      })
    )
  }
  return Result.void
}
