import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import type { AccountId } from "../../core/model/Account.ts"
import type { Removal } from "../../core/model/Removal.ts"
import { byCodeUnit } from "../sql/byCodeUnit.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import { deleteHosted, isReferenced } from "./reservations.ts"
import type { Run } from "./run.ts"
import { removals, take, walk } from "./tables.ts"

const dueKey = ({ dueAt, id }: Removal): string => keyOf("removalsDue", timeKey(dueAt), id)

/** Stores a removal. */
export const putRemoval = async (tx: Transaction, removal: Removal): Promise<void> => {
  await removals.put(tx, removal, removal.id)
  await tx.set(dueKey(removal), removal.id)
}

const postpone = async (tx: Transaction, before: Removal, dueAt: Removal["dueAt"]): Promise<Removal> => {
  const after = { ...before, dueAt }
  await tx.remove(dueKey(before))
  await putRemoval(tx, after)
  return after
}

/** Stores removals. Later uploads of the account no longer share the objects below their prefixes. */
export const storeRemovals = async (
  tx: Transaction,
  account: AccountId,
  added: ReadonlyArray<Removal>
): Promise<void> => {
  for (const removal of added) {
    await deleteHosted(tx, account, removal.prefix)
    await putRemoval(tx, removal)
  }
}

export const removalStore = (run: Run) =>
  RemovalStore.of({
    claim: ({ limit, now, until }) =>
      run(async (tx) => {
        const due = { from: below("removalsDue").from, to: below("removalsDue", timeKey(now)).to, reverse: false }
        const found = await take(limit, walk(tx, due), ({ value }) => removals.find(tx, value))
        const taken: Array<Removal> = []
        for (const removal of found) taken.push(await postpone(tx, removal, until))
        return taken.toSorted((a, b) => byCodeUnit(a.id, b.id))
      }),
    postpone: (ids, dueAt) =>
      run(async (tx) => {
        for (const id of ids) {
          const removal = await removals.find(tx, id)
          if (removal !== undefined) await postpone(tx, removal, dueAt)
        }
      }),
    complete: (ids) =>
      run(async (tx) => {
        for (const id of ids) {
          const removal = await removals.find(tx, id)
          if (removal === undefined) continue
          await tx.remove(dueKey(removal))
          await removals.remove(tx, id)
        }
      }),
    findShared: (keys) =>
      run(async (tx) => {
        const held: Array<string> = []
        for (const key of keys) if (await isReferenced(tx, key)) held.push(key)
        return held
      }),
    list: ({ after, limit }) =>
      run((tx) => {
        const { from, to } = below("removal")
        const bounds = { from: after === undefined ? from : `${keyOf("removal", after)}\0`, to, reverse: false }
        return take(limit, walk(tx, bounds), ({ key }) =>
          removals.find(tx, decodeURIComponent(key.slice(key.lastIndexOf("/") + 1)))
        )
      })
  })
