import type { DateTime } from "effect"
import type { Account, AccountId } from "../../core/model/Account.ts"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import type { IdempotentAnswer } from "../../core/model/Idempotency.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { repositoryKey } from "../../core/model/Repository.ts"
import type { Repository, RepositoryKey } from "../../core/model/Repository.ts"
import type { Session } from "../../core/model/Session.ts"
import type { Posted } from "./outbox.ts"
import type { ShareLink } from "../../core/model/ShareLink.ts"
import type { TestRun } from "../../core/model/TestRun.ts"

/** A link, and whether it is current. */
export interface Link {
  readonly repository: Repository
  readonly linked: boolean
}

/** Everything that the metadata ports keep, by id. Each port call reads or changes it in one synchronous step. */
export interface State {
  readonly accounts: Map<string, Account>
  readonly keys: Map<string, ApiKey>
  readonly links: Map<string, Link>
  readonly builds: Map<string, Build>
  readonly reservations: Map<string, BuildReservation>
  readonly previews: Map<string, Preview>
  readonly usage: Array<{ readonly accountId: AccountId; readonly at: DateTime.Utc }>
  readonly runs: Map<string, TestRun>
  readonly answers: Map<string, IdempotentAnswer>
  readonly shareLinks: Map<string, ShareLink>
  readonly sessions: Map<string, Session>
  /** In the order of their commits. */
  readonly outbox: Map<string, Posted>
}

export const emptyState = (): State => ({
  accounts: new Map(),
  keys: new Map(),
  links: new Map(),
  builds: new Map(),
  reservations: new Map(),
  previews: new Map(),
  usage: [],
  runs: new Map(),
  answers: new Map(),
  shareLinks: new Map(),
  sessions: new Map(),
  outbox: new Map()
})

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sameKey = (repository: Repository, key: RepositoryKey): boolean => {
  const own = repositoryKey(repository.owner, repository.repo)
  return own.owner === key.owner && own.repo === key.repo
}

/** Every link of a repository, current or not, of any account. */
export const linksOf = (state: State, key: RepositoryKey): ReadonlyArray<Link> =>
  Array.from(state.links.values()).filter(({ repository }) => sameKey(repository, key))

/** The account's own current link of a repository. */
export const linkedRepository = (state: State, account: AccountId, key: RepositoryKey): Repository | undefined =>
  linksOf(state, key).find((link) => link.linked && link.repository.accountId === account)?.repository
