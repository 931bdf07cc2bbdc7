import { Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Resource } from "../../core/model/Resource.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { RetentionStore } from "../../core/ports/RetentionStore.ts"
import type { Transaction } from "./KeyValueStore.ts"
import type { Run } from "./run.ts"
import { findResource } from "./resources.ts"
import { retentions } from "./tables.ts"

/** The resource, if it is the account's or no account is given. */
const findOf = async (tx: Transaction, resource: Resource, account: AccountId | undefined) => {
  const found = await findResource(tx, resource)
  return account === undefined || found?.accountId === account ? found : undefined
}

export const retentionStore = (run: Run) =>
  RetentionStore.of({
    rules: (account) => run(async (tx) => Option.fromUndefinedOr((await retentions.find(tx, account))?.rules)),
    setRules: (retention) =>
      run((tx) =>
        Object.keys(retention.rules).length === 0
          ? retentions.remove(tx, retention.accountId)
          : retentions.put(tx, retention, retention.accountId)
      ),
    keep: (resource, at, account) =>
      run(async (tx) => {
        const found = await findOf(tx, resource, account)
        if (found === undefined) return Option.none()
        const { accountId, keptAt = at } = found
        await found.setKeptAt(keptAt)
        return Option.some({ accountId, at: keptAt })
      }),
    release: (resource, account) =>
      run(async (tx) => {
        const found = await findOf(tx, resource, account)
        if (found === undefined) return Option.none()
        const { accountId, keptAt } = found
        await found.setKeptAt(undefined)
        return Option.some({ accountId, ...withoutUndefined({ keptAt }) })
      })
  })
