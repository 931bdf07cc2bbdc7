import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { RepositoryId, type Repository } from "./Repository.ts"
import { TestId, testNames } from "./TestHistory.ts"
import { text } from "./Text.ts"

/** Why a test is quarantined: 1 to 500 characters. */
export const QuarantineReason = text(500)

/** The person or team that fixes a quarantined test: free text, at most 100 characters. */
export const QuarantineOwner = text(100)

/**
 * A quarantine of a test until `expiresAt`: its failures are registered and shown, and left out of conclusions. A test has at most one.
 * `expiredAt` is set once its end was published.
 *
 * @see docs/quarantine.md
 */
export const Quarantine = Schema.Struct({
  testId: TestId,
  accountId: AccountId,
  repositoryId: RepositoryId,
  ...testNames,
  reason: QuarantineReason,
  owner: Schema.optionalKey(QuarantineOwner),
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  expiredAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type Quarantine = typeof Quarantine.Type

/** A quarantine with the names of its repository. */
export interface QuarantineView {
  readonly quarantine: Quarantine
  readonly repository: Pick<Repository, "owner" | "repo">
}
