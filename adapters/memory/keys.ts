import { DateTime, Effect, Option } from "effect"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import type { KeyOwner } from "../../core/ports/KeyStore.ts"
import { isLive } from "../../core/rules/keys.ts"
import { post } from "./outbox.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

export const keyStore = (state: State) => {
  const owned = (key: ApiKey | undefined): Option.Option<KeyOwner> => {
    const account = key && state.accounts.get(key.accountId)
    return key && account ? Option.some({ key, account }) : Option.none()
  }

  return KeyStore.of({
    insert: (key, event) =>
      Effect.sync(() => {
        state.keys.set(key.id, key)
        post(state, event)
      }),
    findByHash: (hash) => Effect.sync(() => owned(state.keys.values().find((key) => key.hash === hash))),
    findById: (id) => Effect.sync(() => owned(state.keys.get(id))),
    list: (account) =>
      Effect.sync(() =>
        Array.from(state.keys.values())
          .filter((key) => key.accountId === account)
          .toSorted((a, b) => byText(a.id, b.id))
      ),
    revoke: (id, at, event) =>
      Effect.sync(() => {
        const before = state.keys.get(id)
        if (before === undefined || before.revokedAt !== undefined) return Option.fromUndefinedOr(before)
        const revoked = { ...before, revokedAt: at }
        state.keys.set(id, revoked)
        post(state, event)
        return Option.some(revoked)
      }),
    rotate: ({ event, now, old, oldExpiresAt, replacement }) =>
      Effect.sync(() => {
        const before = state.keys.get(old)
        if (before === undefined || !isLive(before, now)) return false
        state.keys.set(old, { ...before, expiresAt: oldExpiresAt })
        state.keys.set(replacement.id, replacement)
        post(state, event)
        return true
      }),
    touch: (id, at) =>
      Effect.sync(() => {
        const key = state.keys.get(id)
        if (key === undefined || (key.lastUsedAt !== undefined && DateTime.isGreaterThan(key.lastUsedAt, at))) return
        state.keys.set(id, { ...key, lastUsedAt: at })
      })
  })
}
