import { Option } from "effect"
import { TrustStore, type UsedOnce } from "../../core/ports/TrustStore.ts"
import { accountOf, insertKey } from "./apiKeys.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, digest, keyOf, timeKey } from "./keys.ts"
import { post } from "./outbox.ts"
import { holderOf, linksOf } from "./repositories.ts"
import { issuersOf, putTrust, removeTrust } from "./repositoryTrusts.ts"
import type { Run } from "./run.ts"
import { take, trusts, walk } from "./tables.ts"

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
        const found = await trusts.find(tx, repository, digest(issuer))
        if (found === undefined || found.pinned !== undefined) return false
        await putTrust(tx, { ...found, pinned })
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
        const found = []
        for (const repository of repositories) {
          for (const issuer of await issuersOf(tx, repository.id)) {
            const trust = await trusts.find(tx, repository.id, issuer)
            if (trust !== undefined) found.push({ trust, repository })
          }
        }
        return found
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
