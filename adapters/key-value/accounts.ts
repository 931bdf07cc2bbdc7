import { Effect, Option } from "effect"
import type { KnownAccount } from "../../core/model/Erasure.ts"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { byCodeUnit } from "../sql/byCodeUnit.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, digest, keyOf } from "./keys.ts"
import type { Run } from "./run.ts"
import { findResource } from "./resources.ts"
import { accounts, walk } from "./tables.ts"

/** The key of an account's name, unless the account is being erased. */
export const nameKey = (name: string): string => keyOf("accountName", digest(name))

/** Stores a new account. One that is being erased has no name. */
export const insertAccount = async (tx: Transaction, account: KnownAccount): Promise<void> => {
  await (account.erasure === undefined
    ? tx.set(nameKey(account.name), account.id)
    : tx.set(keyOf("erasing", account.id), account.id))
  await accounts.put(tx, account, account.id)
}

export const accountStore = (run: Run) =>
  AccountStore.of({
    insert: (account) =>
      run(async (tx) => {
        if ((await tx.get(nameKey(account.name))) !== undefined) return false
        await insertAccount(tx, account)
        return true
      }).pipe(Effect.flatMap((inserted) => (inserted ? Effect.void : Effect.fail(new NameTaken())))),
    findByName: (name) =>
      run(async (tx) => {
        const id = await tx.get(nameKey(name))
        return Option.fromUndefinedOr(id === undefined ? undefined : await accounts.find(tx, id))
      }),
    findOwner: (resource) =>
      run(async (tx) => {
        const found = await findResource(tx, resource)
        const account = found && (await accounts.find(tx, found.accountId))
        return Option.fromUndefinedOr(account?.erasure === undefined ? account : undefined)
      }),
    list: run(async (tx) => {
      const all = []
      for await (const { value } of walk(tx, { ...below("accountName"), reverse: false })) {
        const account = await accounts.find(tx, value)
        if (account !== undefined) all.push(account)
      }
      return all.toSorted((a, b) => byCodeUnit(a.name, b.name))
    })
  })
