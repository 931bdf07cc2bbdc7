import { Option } from "effect"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { accountOf, insertKey } from "./apiKeys.ts"
import { below, digest, keyOf, timeKey } from "./keys.ts"
import { post } from "./outbox.ts"
import { holderOf, linksOf } from "./repositories.ts"
import type { Run } from "./run.ts"
import { take, trusts, walk } from "./tables.ts"

/** How many used tokens are forgotten at once. */
const forgottenAtOnce = 100

export const trustStore = (run: Run) =>
  TrustStore.of({
    trust: (trust) =>
      run(async (tx) => {
        await trusts.put(tx, trust, trust.repositoryId, digest(trust.issuer))
        await tx.set(keyOf("trustsOf", trust.repositoryId, digest(trust.issuer)), digest(trust.issuer))
      }),
    untrust: (repository, issuer) =>
      run(async (tx) => {
        const found = await trusts.find(tx, repository, digest(issuer))
        if (found === undefined) return false
        await trusts.remove(tx, repository, digest(issuer))
        await tx.remove(keyOf("trustsOf", repository, digest(issuer)))
        return true
      }),
    list: (account) =>
      run(async (tx) => {
        const repositories = await linksOf(tx, account)
        const found = []
        for (const repository of repositories) {
          const range = { ...below("trustsOf", repository.id), reverse: false }
          for await (const { value } of walk(tx, range)) {
            const trust = await trusts.find(tx, repository.id, value)
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
    exchange: ({ endsAt, event, key, now, tokenHash }) =>
      run(async (tx) => {
        if ((await tx.get(keyOf("usedToken", tokenHash))) !== undefined) return false
        const over = { from: below("usedTokenEnd").from, to: keyOf("usedTokenEnd", timeKey(now)), reverse: false }
        for (const one of await take(forgottenAtOnce, walk(tx, over), async (entry) => entry)) {
          await tx.remove(keyOf("usedToken", one.value))
          await tx.remove(one.key)
        }
        await tx.set(keyOf("usedToken", tokenHash), timeKey(endsAt))
        await tx.set(keyOf("usedTokenEnd", timeKey(endsAt), tokenHash), tokenHash)
        await insertKey(tx, key)
        await post(tx, event)
        return true
      })
  })
