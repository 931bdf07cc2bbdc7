import { DateTime, Option } from "effect"
import type { Account } from "../../core/model/Account.ts"
import type { ApiKey, KeyId, Session } from "../../core/model/ApiKey.ts"
import { KeyStore, type KeyOwner } from "../../core/ports/KeyStore.ts"
import { isLive, isSessionLive } from "../../core/rules/credentials.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import { accounts, apiKeys, below, keyOf, sessions, take, walk } from "./tables.ts"
import { post } from "./outbox.ts"
import { SessionStore, type SessionOwner } from "../../core/ports/SessionStore.ts"

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
const keyOwner = async (tx: Transaction, id: string): Promise<KeyOwner | undefined> => {
  const key = await apiKeys.find(tx, id)
  const account = key && (await accountOf(tx, key.accountId))
  return key && account ? { key, account } : undefined
}

/** As {@link keyOwner}, by the key's hash. */
const keyOwnerByHash = async (tx: Transaction, hash: string): Promise<KeyOwner | undefined> => {
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

const owned = async (tx: Transaction, id: string | undefined): Promise<Option.Option<SessionOwner>> => {
  const session = id === undefined ? undefined : await sessions.find(tx, id)
  const owner = session && (await keyOwner(tx, session.keyId))
  return session && owner ? Option.some({ session, ...owner }) : Option.none()
}

/** Stores a new session. */
export const insertSession = async (tx: Transaction, session: Session): Promise<void> => {
  await sessions.put(tx, session, session.id)
  await tx.set(keyOf("sessionHash", session.secretHash), session.id)
  await tx.set(keyOf("keySessions", session.keyId, session.id), session.id)
}

/** Removes a session, if there is one. */
export const removeSession = async (tx: Transaction, session: Session | undefined): Promise<void> => {
  if (session === undefined) return
  await sessions.remove(tx, session.id)
  await tx.remove(keyOf("sessionHash", session.secretHash))
  await tx.remove(keyOf("keySessions", session.keyId, session.id))
}

const removeByHash = async (tx: Transaction, hash: string): Promise<void> => {
  const id = await tx.get(keyOf("sessionHash", hash))
  await removeSession(tx, id === undefined ? undefined : await sessions.find(tx, id))
}

/** Every session of a key. */
export const sessionsOf = (tx: Transaction, key: KeyId): Promise<ReadonlyArray<Session>> =>
  take(Infinity, walk(tx, { ...below("keySessions", key), reverse: true }), ({ value }) => sessions.find(tx, value))

export const sessionStore = (run: Run) =>
  SessionStore.of({
    begin: ({ now, replaces, session }) =>
      run(async (tx) => {
        if (replaces !== undefined) await removeByHash(tx, replaces)
        for (const other of await sessionsOf(tx, session.keyId))
          if (!isSessionLive(other, now)) await removeSession(tx, other)
        await insertSession(tx, session)
      }),
    findByHash: (hash) => run(async (tx) => owned(tx, await tx.get(keyOf("sessionHash", hash)))),
    findById: (id) => run((tx) => owned(tx, id)),
    list: ({ after, key, limit }) =>
      run((tx) => {
        const { from, to } = below("keySessions", key)
        const bounds = { from, to: after === undefined ? to : keyOf("keySessions", key, after) }
        return take(limit, walk(tx, { ...bounds, reverse: true }), ({ value }) => sessions.find(tx, value))
      }),
    removeByHash: (hash) => run((tx) => removeByHash(tx, hash)),
    remove: (key, id) =>
      run(async (tx) => {
        const session = await sessions.find(tx, id)
        if (session?.keyId === key) await removeSession(tx, session)
      }),
    removeAll: (key) =>
      run(async (tx) => {
        for (const session of await sessionsOf(tx, key)) await removeSession(tx, session)
      })
  })
