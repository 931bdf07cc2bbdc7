import {
  repositoryKey,
  type Repository,
  type RepositoryId,
  type RepositoryKey,
  type RepositoryTrust
} from "../../core/model/Repository.ts"
import { orLeftOut, type Run, type Transaction } from "./KeyValueStore.ts"
import { below, digest, keyOf, repositories, repositoryDigest, take, takeAll, timeKey, trusts, walk } from "./tables.ts"
import { Effect, Option, Struct } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { KnownRepository } from "../../core/model/MetadataRecord.ts"
import { LinkedElsewhere, RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"
import { TrustStore, type UsedOnce } from "../../core/ports/TrustStore.ts"
import { accountOf, insertKey } from "./apiKeys.ts"
import { post } from "./outbox.ts"

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
const issuersOf = (tx: Transaction, repository: RepositoryId): Promise<ReadonlyArray<string>> =>
  take(Infinity, walk(tx, { ...below("trustsOf", repository), reverse: false }), async ({ value }) => value)

const asRepository = (known: KnownRepository): Repository => Struct.omit(known, ["linked"])

/** The key under which an account's link of a repository is found. */
export const linkKey = (account: AccountId, key: RepositoryKey): string =>
  keyOf("repositoryOf", repositoryDigest(key), account)

/** The repository that an account links now or linked once. */
const known = async (tx: Transaction, account: AccountId, key: RepositoryKey): Promise<KnownRepository | undefined> => {
  const id = await tx.get(linkKey(account, key))
  return id === undefined ? undefined : repositories.find(tx, id)
}

/** The repository, when the account links it now. */
export const linkedRepository = async (
  tx: Transaction,
  account: AccountId,
  key: RepositoryKey
): Promise<Repository | undefined> => {
  const record = await known(tx, account, key)
  return record?.linked === true ? asRepository(record) : undefined
}

/** The repository with that id, when an account links it now. */
export const linkedById = async (tx: Transaction, id: RepositoryId): Promise<Repository | undefined> => {
  const record = await repositories.find(tx, id)
  return record?.linked === true ? asRepository(record) : undefined
}

/** The account's links, in whichever order. */
export const linksOf = (tx: Transaction, account: AccountId): Promise<ReadonlyArray<Repository>> =>
  take(Infinity, walk(tx, { ...below("accountRepositories", account), reverse: false }), async ({ value }) => {
    const record = await repositories.find(tx, value)
    return record?.linked === true ? asRepository(record) : undefined
  })

/** The repository of that key, of whichever account links it now. */
const holderOf = async (tx: Transaction, key: RepositoryKey): Promise<Repository | undefined> => {
  const [holding] = await takeAll(
    1,
    walk(tx, { ...below("repositoryOf", repositoryDigest(key)), reverse: false }),
    async ({ value }) => {
      const record = await repositories.find(tx, value)
      return record?.linked === true ? asRepository(record) : undefined
    }
  )
  return holding
}

/** Stores a repository that its account links, or linked once. */
export const putRepository = async (tx: Transaction, repository: KnownRepository): Promise<void> => {
  const { accountId, id, owner, repo } = repository
  await repositories.put(tx, repository, id)
  await tx.set(linkKey(accountId, repositoryKey(owner, repo)), id)
  await tx.set(keyOf("accountRepositories", accountId, id), id)
}

export const repositoryStore = (run: Run) =>
  RepositoryStore.of({
    link: (repository) =>
      run(async (tx) => {
        const key = repositoryKey(repository.owner, repository.repo)
        const holding = await holderOf(tx, key)
        if (holding !== undefined) return holding.accountId === repository.accountId ? holding : undefined
        const earlier = await known(tx, repository.accountId, key)
        const now = { ...repository, id: earlier?.id ?? repository.id }
        await putRepository(tx, { ...now, linked: true })
        return now
      }).pipe(
        Effect.filterOrFail(
          (link) => link !== undefined,
          () => new LinkedElsewhere()
        )
      ),
    unlink: (account, key) =>
      run(async (tx) => {
        const record = await known(tx, account, key)
        if (record?.linked !== true) return false
        await repositories.put(tx, { ...record, linked: false }, record.id)
        for (const issuer of await issuersOf(tx, record.id)) await removeTrust(tx, record.id, issuer)
        return true
      }),
    configure: (account, key, settings) =>
      run(async (tx) => {
        const record = await known(tx, account, key)
        if (record?.linked !== true) return false
        const changed = { ...Struct.omit(record, ["defaultBranch", "webUrl"]), ...settings }
        await repositories.put(tx, changed, record.id)
        return true
      }),
    find: (account, key) => run(async (tx) => Option.fromUndefinedOr(await linkedRepository(tx, account, key))),
    list: (account) =>
      run(async (tx) =>
        (await linksOf(tx, account))
          .map((repository) => ({ repository, key: repositoryKey(repository.owner, repository.repo) }))
          .toSorted((a, b) => byCodeUnit(a.key.owner, b.key.owner) || byCodeUnit(a.key.repo, b.key.repo))
          .map(({ repository }) => repository)
      )
  })

/** How many used tokens are forgotten at once. */
const deleteBatchSize = 100

/** Stores that a secret was used; whether it is the first time. */
const use = async (tx: Transaction, { endsAt, now, tokenHash }: UsedOnce): Promise<boolean> => {
  if ((await tx.get(keyOf("usedToken", tokenHash))) !== undefined) return false
  const over = { from: below("usedTokenEnd").from, to: keyOf("usedTokenEnd", timeKey(now)), reverse: false }
  for (const one of await take(deleteBatchSize, walk(tx, over), async (entry) => entry)) {
    await tx.remove(keyOf("usedToken", one.value))
    await tx.remove(one.key)
  }
  await tx.set(keyOf("usedToken", tokenHash), timeKey(endsAt))
  await tx.set(keyOf("usedTokenEnd", timeKey(endsAt), tokenHash), tokenHash)
  return true
}

export const trustStore = (run: Run) =>
  TrustStore.of({
    trust: (trust) =>
      run(async (tx) => {
        const pinned = trust.pinned ?? (await trusts.find(tx, trust.repositoryId, digest(trust.issuer)))?.pinned
        const stored = pinned === undefined ? trust : { ...trust, pinned }
        await putTrust(tx, stored)
        return stored
      }),
    pin: (repository, issuer, pinned) =>
      run(async (tx) => {
        const trust = await trusts.find(tx, repository, digest(issuer))
        if (trust === undefined || trust.pinned !== undefined) return false
        await putTrust(tx, { ...trust, pinned })
        return true
      }),
    untrust: (repository, issuer) =>
      run(async (tx) => {
        if ((await trusts.find(tx, repository, digest(issuer))) === undefined) return false
        await removeTrust(tx, repository, digest(issuer))
        return true
      }),
    list: (account) =>
      run(async (tx) => {
        const repositories = await linksOf(tx, account)
        const listed = []
        for (const repository of repositories) {
          for (const issuer of await issuersOf(tx, repository.id)) {
            const trust = await orLeftOut(() => trusts.find(tx, repository.id, issuer))
            if (trust !== undefined) listed.push({ trust, repository })
          }
        }
        return listed
      }),
    find: (key, issuer) =>
      run(async (tx) => {
        const repository = await holderOf(tx, key)
        const account = repository && (await accountOf(tx, repository.accountId))
        if (repository === undefined || account === undefined) return Option.none()
        const trust = Option.fromUndefinedOr(await trusts.find(tx, repository.id, digest(issuer)))
        return Option.some({ repository, account, trust })
      }),
    isTrusted: (issuer) =>
      run(async (tx) => (await tx.list({ ...below("trustsBy", digest(issuer)), limit: 1, reverse: false })).length > 0),
    use: (secret) => run((tx) => use(tx, secret)),
    exchange: ({ event, key, ...token }) =>
      run(async (tx) => {
        if (!(await use(tx, token))) return false
        await insertKey(tx, key)
        await post(tx, event)
        return true
      })
  })
