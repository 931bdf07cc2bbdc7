import type { RepositoryId } from "../../core/model/Repository.ts"
import type { RepositoryTrust } from "../../core/model/RepositoryTrust.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, digest, keyOf } from "./keys.ts"
import { take, trusts, walk } from "./tables.ts"

/** Where a trust is listed, beside its record: by its repository, and by its issuer. */
const indexKeys = (repository: RepositoryId, issuer: string): ReadonlyArray<string> => [
  keyOf("trustsOf", repository, issuer),
  keyOf("trustsBy", issuer, repository)
]

export const putTrust = async (tx: Transaction, trust: RepositoryTrust): Promise<void> => {
  const issuer = digest(trust.issuer)
  await trusts.put(tx, trust, trust.repositoryId, issuer)
  for (const key of indexKeys(trust.repositoryId, issuer)) await tx.set(key, issuer)
}

/** Removes a trust by the digest of its issuer. */
export const removeTrust = async (tx: Transaction, repository: RepositoryId, issuer: string): Promise<void> => {
  await trusts.remove(tx, repository, issuer)
  for (const key of indexKeys(repository, issuer)) await tx.remove(key)
}

/** The digests of the issuers that a repository trusts. */
export const issuersOf = (tx: Transaction, repository: RepositoryId): Promise<ReadonlyArray<string>> =>
  take(Infinity, walk(tx, { ...below("trustsOf", repository), reverse: false }), async ({ value }) => value)
