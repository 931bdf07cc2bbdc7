import { Effect, Option, Struct } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { KnownRepository } from "../../core/model/MetadataRecord.ts"
import { repositoryKey, type Repository, type RepositoryId, type RepositoryKey } from "../../core/model/Repository.ts"
import { LinkedElsewhere, RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { byCodeUnit } from "../sql/byCodeUnit.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, repositoryDigest } from "./keys.ts"
import { issuersOf, removeTrust } from "./repositoryTrusts.ts"
import type { Run } from "./run.ts"
import { repositories, take, walk } from "./tables.ts"

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
  const found = await known(tx, account, key)
  return found?.linked === true ? asRepository(found) : undefined
}

/** The repository with that id, when an account links it now. */
export const linkedById = async (tx: Transaction, id: RepositoryId): Promise<Repository | undefined> => {
  const found = await repositories.find(tx, id)
  return found?.linked === true ? asRepository(found) : undefined
}

/** The account's links, in whichever order. */
export const linksOf = (tx: Transaction, account: AccountId): Promise<ReadonlyArray<Repository>> =>
  take(Infinity, walk(tx, { ...below("accountRepositories", account), reverse: false }), async ({ value }) => {
    const found = await repositories.find(tx, value)
    return found?.linked === true ? asRepository(found) : undefined
  })

/** The repository of that key, of whichever account links it now. */
export const holderOf = async (tx: Transaction, key: RepositoryKey): Promise<Repository | undefined> => {
  const [holding] = await take(
    1,
    walk(tx, { ...below("repositoryOf", repositoryDigest(key)), reverse: false }),
    async ({ value }) => {
      const found = await repositories.find(tx, value)
      return found?.linked === true ? asRepository(found) : undefined
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
        const found = await known(tx, account, key)
        if (found?.linked !== true) return false
        await repositories.put(tx, { ...found, linked: false }, found.id)
        for (const issuer of await issuersOf(tx, found.id)) await removeTrust(tx, found.id, issuer)
        return true
      }),
    configure: (account, key, settings) =>
      run(async (tx) => {
        const found = await known(tx, account, key)
        if (found?.linked !== true) return false
        const changed = { ...Struct.omit(found, ["defaultBranch", "webUrl"]), ...settings }
        await repositories.put(tx, changed, found.id)
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
