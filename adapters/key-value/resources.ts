import { Struct, type DateTime } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Resource } from "../../core/model/Resource.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { builds, previews, runs } from "./tables.ts"

/** A stored resource: its account, and since when it is kept. */
export interface StoredResource {
  readonly accountId: AccountId
  readonly keptAt?: DateTime.Utc | undefined
  readonly setKeptAt: (at: DateTime.Utc | undefined) => Promise<void>
}

const stored = <A extends { readonly accountId: AccountId; readonly keptAt?: DateTime.Utc }>(
  record: A | undefined,
  put: (record: A | Omit<A, "keptAt">) => Promise<void>
): StoredResource | undefined =>
  record && {
    accountId: record.accountId,
    keptAt: record.keptAt,
    setKeptAt: (at) => put(at === undefined ? Struct.omit(record, ["keptAt"]) : { ...record, keptAt: at })
  }

/** The resource, whichever account's. */
export const findResource = async (tx: Transaction, resource: Resource): Promise<StoredResource | undefined> => {
  if ("build" in resource) {
    return stored(await builds.find(tx, resource.build), (build) => builds.put(tx, build, build.id))
  }
  if ("preview" in resource) {
    return stored(await previews.find(tx, resource.preview), (preview) => previews.put(tx, preview, preview.shareId))
  }
  return stored(await runs.find(tx, resource.run), (run) => runs.put(tx, run, run.id))
}
