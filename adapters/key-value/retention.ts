import { Option, Struct, type DateTime } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { RetentionStore, type Keepable } from "../../core/ports/RetentionStore.ts"
import type { Transaction } from "./KeyValueStore.ts"
import type { Run } from "./run.ts"
import { builds, previews, retentions, runs } from "./tables.ts"

/**
 * Changes since when a thing is kept; answers `undefined` when there is no such thing, and else since when it is kept, since when it
 * was before, and whose it is.
 */
const change = async <At extends DateTime.Utc | undefined>(
  tx: Transaction,
  resource: Keepable,
  account: AccountId | undefined,
  keptAt: (before: DateTime.Utc | undefined) => At
): Promise<
  { readonly accountId: AccountId; readonly at: At; readonly before: DateTime.Utc | undefined } | undefined
> => {
  const isOwn = (found: { readonly accountId: AccountId }) => account === undefined || found.accountId === account
  const changed = <A extends { readonly keptAt?: DateTime.Utc }>(found: A) => {
    const at = keptAt(found.keptAt)
    return {
      at,
      before: found.keptAt,
      value: at === undefined ? Struct.omit(found, ["keptAt"]) : { ...found, keptAt: at }
    }
  }
  if ("build" in resource) {
    const found = await builds.find(tx, resource.build)
    if (found === undefined || !isOwn(found)) return undefined
    const { value, ...times } = changed(found)
    await builds.put(tx, value, found.id)
    return { accountId: found.accountId, ...times }
  }
  if ("preview" in resource) {
    const found = await previews.find(tx, resource.preview)
    if (found === undefined || !isOwn(found)) return undefined
    const { value, ...times } = changed(found)
    await previews.put(tx, value, found.shareId)
    return { accountId: found.accountId, ...times }
  }
  const found = await runs.find(tx, resource.run)
  if (found === undefined || !isOwn(found)) return undefined
  const { value, ...times } = changed(found)
  await runs.put(tx, value, found.id)
  return { accountId: found.accountId, ...times }
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
      run(async (tx) =>
        Option.map(
          Option.fromUndefinedOr(await change(tx, resource, account, (before) => before ?? at)),
          ({ accountId, at }) => ({ accountId, at })
        )
      ),
    release: (resource, account) =>
      run(async (tx) =>
        Option.map(
          Option.fromUndefinedOr(await change(tx, resource, account, () => undefined)),
          ({ accountId, before }) => ({ accountId, ...withoutUndefined({ keptAt: before }) })
        )
      )
  })
