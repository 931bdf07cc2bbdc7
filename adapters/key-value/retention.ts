import { Option, Struct, type DateTime } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { RetentionStore, type Keepable } from "../../core/ports/RetentionStore.ts"
import type { Transaction } from "./KeyValueStore.ts"
import type { Run } from "./run.ts"
import { builds, previews, retentions, runs } from "./tables.ts"

/** Changes since when a thing is kept; answers `undefined` when there is no such thing, and else since when it is kept and whose it is. */
const change = async <At extends DateTime.Utc | undefined>(
  tx: Transaction,
  thing: Keepable,
  account: AccountId | undefined,
  keptAt: (before: DateTime.Utc | undefined) => At
): Promise<{ readonly accountId: AccountId; readonly at: At } | undefined> => {
  const isOwn = (found: { readonly accountId: AccountId }) => account === undefined || found.accountId === account
  const changed = <A extends { readonly keptAt?: DateTime.Utc }>(found: A) => {
    const at = keptAt(found.keptAt)
    return { at, value: at === undefined ? Struct.omit(found, ["keptAt"]) : { ...found, keptAt: at } }
  }
  if ("build" in thing) {
    const found = await builds.find(tx, thing.build)
    if (found === undefined || !isOwn(found)) return undefined
    const { at, value } = changed(found)
    await builds.put(tx, value, found.id)
    return { accountId: found.accountId, at }
  }
  if ("preview" in thing) {
    const found = await previews.find(tx, thing.preview)
    if (found === undefined || !isOwn(found)) return undefined
    const { at, value } = changed(found)
    await previews.put(tx, value, found.shareId)
    return { accountId: found.accountId, at }
  }
  const found = await runs.find(tx, thing.run)
  if (found === undefined || !isOwn(found)) return undefined
  const { at, value } = changed(found)
  await runs.put(tx, value, found.id)
  return { accountId: found.accountId, at }
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
    keep: (thing, at, account) =>
      run(async (tx) => Option.fromUndefinedOr(await change(tx, thing, account, (before) => before ?? at))),
    release: (thing, account) =>
      run(async (tx) =>
        Option.map(
          Option.fromUndefinedOr(await change(tx, thing, account, () => undefined)),
          ({ accountId }) => accountId
        )
      )
  })
