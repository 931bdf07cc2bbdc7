import { Effect, Option } from "effect"
import type { Session } from "../../core/model/Session.ts"
import { SessionStore } from "../../core/ports/SessionStore.ts"
import type { SessionOwner } from "../../core/ports/SessionStore.ts"
import { isSessionLive } from "../../core/rules/sessions.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

export const sessionStore = (state: State) => {
  const owned = (session: Session | undefined): Option.Option<SessionOwner> => {
    const key = session && state.keys.get(session.keyId)
    const account = key && state.accounts.get(key.accountId)
    return session && key && account ? Option.some({ session, key, account }) : Option.none()
  }
  const removeWhere = (isOver: (session: Session) => boolean): void => {
    for (const session of state.sessions.values()) if (isOver(session)) state.sessions.delete(session.id)
  }

  return SessionStore.of({
    begin: ({ now, replaces, session }) =>
      Effect.sync(() => {
        removeWhere(
          (other) => other.secretHash === replaces || (other.keyId === session.keyId && !isSessionLive(other, now))
        )
        state.sessions.set(session.id, session)
      }),
    findByHash: (hash) =>
      Effect.sync(() => owned(state.sessions.values().find((session) => session.secretHash === hash))),
    findById: (id) => Effect.sync(() => owned(state.sessions.get(id))),
    list: ({ after, key, limit }) =>
      Effect.sync(() =>
        Array.from(state.sessions.values())
          .filter((session) => session.keyId === key && (after === undefined || session.id < after))
          .toSorted((a, b) => byText(b.id, a.id))
          .slice(0, limit)
      ),
    removeByHash: (hash) => Effect.sync(() => removeWhere((session) => session.secretHash === hash)),
    remove: (key, id) => Effect.sync(() => removeWhere((session) => session.keyId === key && session.id === id)),
    removeAll: (key) => Effect.sync(() => removeWhere((session) => session.keyId === key))
  })
}
