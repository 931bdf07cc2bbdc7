import { DateTime, Result } from "effect"
import type { DeclaredObject } from "../model/Artifact.ts"
import { InvalidRequest, PayloadTooLarge, QuotaExceeded, RateLimited, type Issue } from "../model/Problem.ts"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { Reservation } from "../model/Reservation.ts"
import {
  QuotaName,
  unlimited,
  type AccountUsage,
  type Amounts,
  type Quotas,
  type QuotaUsage,
  type UsedAmount
} from "../model/Account.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { bytesText } from "./amounts.ts"
import { declaredObjects, type UploadDeclaration } from "./reservations.ts"

/** How much one reservation may declare. Sizes are in bytes; `fileBytes` holds for recordings too. @see docs/interface.md#8 */
export interface Limits {
  readonly bundleBytes: number
  readonly fileBytes: number
  readonly totalBytes: number
  readonly files: number
  readonly recordings: number
}

export const defaultLimits: Limits = {
  bundleBytes: 512 * 1024 ** 2,
  fileBytes: 512 * 1024 ** 2,
  totalBytes: 2 * 1024 ** 3,
  files: 1000,
  recordings: 100
}

/** A list of a declaration whose length is limited. */
export type LimitedList = "files" | "recordings"

/** The mismatch of a list with `length` items; `undefined` when it may have that many. */
export const listLengthIssue = (path: string, length: number, most: number): Issue | undefined =>
  length > most ? { path, message: `must have at most ${most} items, not ${length}` } : undefined

/** The limits, lowered so that no object is larger than what one PUT to the store can hold. */
export const limitsOfPut = (limits: Limits, largestPut = Number.MAX_SAFE_INTEGER): Limits => ({
  ...limits,
  bundleBytes: Math.min(limits.bundleBytes, largestPut),
  fileBytes: Math.min(limits.fileBytes, largestPut)
})

/** Where in the request body the size of an object stands. */
const sizeField = (object: DeclaredObject): string =>
  object.name === "bundle" ? "bundleSizeBytes" : `${object.name.replaceAll("/", ".")}.sizeBytes`

/** Checks a declaration against the limits: too many files are an `InvalidRequest`, too many bytes a `PayloadTooLarge`. */
export const checkLimits = (
  objects: ReadonlyArray<DeclaredObject>,
  limits: Limits
): Result.Result<void, InvalidRequest | PayloadTooLarge> => {
  for (const field of ["files", "recordings"] as const) {
    const count = objects.filter((object) => object.name.startsWith(`${field}/`)).length
    const issue = listLengthIssue(field, count, limits[field])
    if (issue !== undefined) {
      return Result.fail(new InvalidRequest({ detail: `The request declares too many ${field}.`, issues: [issue] }))
    }
  }
  const issues: Array<Issue> = []
  let total = 0
  for (const object of objects) {
    const limit = object.name === "bundle" ? limits.bundleBytes : limits.fileBytes
    total += object.sizeBytes
    if (object.sizeBytes > limit) {
      issues.push({ path: sizeField(object), message: `must be at most ${limit} bytes, not ${object.sizeBytes}` })
    }
  }
  if (issues.length === 0 && total > limits.totalBytes) {
    issues.push({
      path: "bundleSizeBytes",
      message: `the bundle and everything beside it must be at most ${limits.totalBytes} bytes together, not ${total}`
    })
  }
  return issues.length === 0
    ? Result.void
    : Result.fail(new PayloadTooLarge({ detail: "The declared sizes are over a limit.", issues }))
}

/** How many requests a minute each rate limit admits; one that is absent admits any number. */
export interface Rates {
  /** Requests to the API with one key. */
  readonly key?: number | undefined
  /** Requests to the API of one account, with whichever keys. */
  readonly account?: number | undefined
  /** Wrong keys, identity tokens and share links from one address; right ones are not counted. */
  readonly guesses?: number | undefined
}

export const defaultRates: Rates = { guesses: 300 }

/** The seconds in which a limit fills. */
export const ratePeriodSeconds = 60

/**
 * How many requests a host takes of a limit at once, to ask the store seldom: what one host has taken and not used, the others
 * lack for up to a minute.
 */
export const rateLeaseSize = (limit: number): number => Math.max(1, Math.floor(limit / 100))

const subjects: Readonly<Record<keyof Rates, (limit: number) => string>> = {
  key: (limit) => `This key may make ${limit} requests a minute`,
  account: (limit) => `This account may make ${limit} requests a minute`,
  guesses: (limit) => `More than ${limit} keys or links a minute from this address were wrong`
}

const inSeconds = (seconds: number): string => `${seconds} second${seconds === 1 ? "" : "s"}`

/** The refusal of a request over a limit, with room again after so many milliseconds. */
export const rateLimited = (policy: keyof Rates, limit: number, retryAfterMillis: number): RateLimited => {
  const seconds = Math.max(1, Math.ceil(retryAfterMillis / 1000))
  return new RateLimited({
    detail: `${subjects[policy](limit)}; wait ${inSeconds(seconds)} before the next.`,
    policy,
    limit,
    windowSeconds: ratePeriodSeconds,
    retryAfterSeconds: seconds
  })
}

/** The refusal of a request of an account or address with too many others, the first of which has waited for `waitedMillis`. */
export const tooManyRequests = (maxConcurrent: number, waiting: number, waitedMillis: number): RateLimited => {
  const seconds = Math.min(30, Math.max(1, Math.ceil(waitedMillis / 1000)))
  return new RateLimited({
    detail: `${maxConcurrent} requests of this client are processed at once, and ${waiting} others wait; wait ${inSeconds(seconds)} before the next.`,
    policy: "concurrency",
    limit: maxConcurrent,
    retryAfterSeconds: seconds
  })
}

/** The month of a time, `2026-11`, in UTC. */
export const monthOf = (time: DateTime.Utc): string => DateTime.formatIso(time).slice(0, 7)

/** When what counts by the month begins again. */
const nextMonth = (time: DateTime.Utc): DateTime.Utc => DateTime.add(DateTime.startOf(time, "month"), { months: 1 })

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
const amountText = (name: QuotaName, amount: number): string =>
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
