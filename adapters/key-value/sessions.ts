import { Option } from "effect"
import type { KeyId } from "../../core/model/ApiKey.ts"
import type { Session } from "../../core/model/Session.ts"
import { SessionStore, type SessionOwner } from "../../core/ports/SessionStore.ts"
import { isSessionLive } from "../../core/rules/sessions.ts"
import { keyOwner } from "./apiKeys.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf } from "./keys.ts"
import type { Run } from "./run.ts"
import { sessions, take, walk } from "./tables.ts"

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
