/**
 * Records to store. Every id, hash and name is new, so that cases can share one engine and a suite can run on a
 * database that is full already.
 */
import { DateTime } from "effect"
import { AccountId } from "../../core/model/Account.ts"
import type { Account } from "../../core/model/Account.ts"
import { KeyId } from "../../core/model/ApiKey.ts"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { BuildId } from "../../core/model/Build.ts"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import { RepositoryId } from "../../core/model/Repository.ts"
import type { Repository } from "../../core/model/Repository.ts"
import { ReservationId } from "../../core/model/Reservation.ts"

const random = (): string => crypto.randomUUID()

/** An instant, so many milliseconds after a fixed one. */
export const instant = (millis: number): DateTime.Utc =>
  DateTime.addDuration(DateTime.makeUnsafe("2026-05-04T03:02:01.007Z"), millis)

/** An id of the form that the service makes, UUID version 7; of two, the one with the greater `at` is greater. */
export const idAt = (at: number): string => {
  const time = at.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random().slice(15)}`
}

/** A name that begins as given. */
export const nameOf = (start: string): string => `${start} ${random()}`

export const makeAccount = (fields: Partial<Account> = {}): Account => ({
  id: AccountId.make(idAt(1)),
  name: nameOf("account"),
  createdAt: instant(0),
  ...fields
})

export const makeKey = (account: Account, fields: Partial<ApiKey> = {}): ApiKey => ({
  id: KeyId.make(idAt(1)),
  accountId: account.id,
  name: "laptop",
  hash: random(),
  scopes: ["builds"],
  createdAt: instant(1),
  ...fields
})

export const makeRepository = (account: Account, fields: Partial<Repository> = {}): Repository => ({
  id: RepositoryId.make(idAt(1)),
  accountId: account.id,
  owner: nameOf("Owner"),
  repo: "Repo",
  linkedAt: instant(2),
  ...fields
})

/** The identity of a build; the commit is a new one unless given. */
export const makeIdentity = (fields: Partial<Pick<Build, "branch" | "platform" | "commitSha">> = {}) => ({
  branch: "main",
  platform: "ios" as const,
  commitSha: (random() + random()).replaceAll("-", "").slice(0, 40),
  ...fields
})

/** A reservation with nothing in it that may be absent. */
export const makeReservation = (
  account: Account,
  buildId: BuildId,
  fields: Partial<BuildReservation> = {}
): BuildReservation => ({
  id: ReservationId.make(idAt(1)),
  tokenHash: random(),
  accountId: account.id,
  reservedAt: instant(3),
  expiresAt: instant(900_003),
  buildId,
  declaration: {
    contentHash: "0".repeat(64),
    bundleSizeBytes: 1,
    bundleContentType: "text/javascript",
    isTransformed: false,
    files: []
  },
  ...fields
})

export const newBuildId = (): BuildId => BuildId.make(idAt(1))
