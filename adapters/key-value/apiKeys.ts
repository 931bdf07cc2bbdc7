import { DateTime, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { KeyStore, type KeyOwner } from "../../core/ports/KeyStore.ts"
import { isLive } from "../../core/rules/keys.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf } from "./keys.ts"
import { post } from "./outbox.ts"
import type { Run } from "./run.ts"
import { accounts, apiKeys, take, walk } from "./tables.ts"

/** Stores a new key. */
export const insertKey = async (tx: Transaction, key: ApiKey): Promise<void> => {
  await apiKeys.put(tx, key, key.id)
  await tx.set(keyOf("keyHash", key.hash), key.id)
  await tx.set(keyOf("accountKeys", key.accountId, key.id), key.id)
}

/** Removes a key; its sessions are removed before. */
export const removeKey = async (tx: Transaction, key: ApiKey): Promise<void> => {
  await apiKeys.remove(tx, key.id)
  await tx.remove(keyOf("keyHash", key.hash))
  await tx.remove(keyOf("accountKeys", key.accountId, key.id))
}

/** An account that isn't being erased. */
export const accountOf = async (tx: Transaction, id: string): Promise<Account | undefined> => {
  const account = await accounts.find(tx, id)
  return account?.erasure === undefined ? account : undefined
}

/** A key and its account, as they are now. */
export const keyOwner = async (tx: Transaction, id: string): Promise<KeyOwner | undefined> => {
  const key = await apiKeys.find(tx, id)
  const account = key && (await accountOf(tx, key.accountId))
  return key && account ? { key, account } : undefined
}

/** As {@link keyOwner}, by the key's hash. */
export const keyOwnerByHash = async (tx: Transaction, hash: string): Promise<KeyOwner | undefined> => {
  const id = await tx.get(keyOf("keyHash", hash))
  return id === undefined ? undefined : keyOwner(tx, id)
}

export const keyStore = (run: Run) =>
  KeyStore.of({
    insert: (key, event) =>
      run(async (tx) => {
        await insertKey(tx, key)
        await post(tx, event)
      }),
    findByHash: (hash) => run(async (tx) => Option.fromUndefinedOr(await keyOwnerByHash(tx, hash))),
    findById: (id) => run(async (tx) => Option.fromUndefinedOr(await keyOwner(tx, id))),
    list: (account) =>
      run((tx) =>
        take(Infinity, walk(tx, { ...below("accountKeys", account), reverse: false }), ({ value }) =>
          apiKeys.find(tx, value)
        )
      ),
    revoke: (id, at, event) =>
      run(async (tx) => {
        const key = await apiKeys.find(tx, id)
        if (key === undefined || key.revokedAt !== undefined) return Option.fromUndefinedOr(key)
        const revoked = { ...key, revokedAt: at }
        await apiKeys.put(tx, revoked, id)
        await post(tx, event)
        return Option.some(revoked)
      }),
    rotate: ({ event, now, old, oldExpiresAt, replacement }) =>
      run(async (tx) => {
        const before = await apiKeys.find(tx, old)
        if (before === undefined || !isLive(before, now)) return false
        await apiKeys.put(tx, { ...before, expiresAt: oldExpiresAt }, old)
        await insertKey(tx, replacement)
        await post(tx, event)
        return true
      }),
    touch: (id, at) =>
      run(async (tx) => {
        const key = await apiKeys.find(tx, id)
        if (key === undefined || (key.lastUsedAt !== undefined && DateTime.isGreaterThan(key.lastUsedAt, at))) return
        await apiKeys.put(tx, { ...key, lastUsedAt: at }, id)
      })
  })
