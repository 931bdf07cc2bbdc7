import { DateTime, Effect, Option } from "effect"
import type { ApiKey, KeyId } from "../../core/model/ApiKey.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import type { KeyOwner } from "../../core/ports/KeyStore.ts"
import { isLive } from "../../core/rules/keys.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

export const keyStore = (state: State) => {
  const owned = (key: ApiKey | undefined): Option.Option<KeyOwner> => {
    const account = key && state.accounts.get(key.accountId)
    return key && account ? Option.some({ key, account }) : Option.none()
  }
  const change = (id: KeyId, f: (key: ApiKey) => ApiKey): ApiKey | undefined => {
    const before = state.keys.get(id)
    if (before === undefined) return undefined
    const after = f(before)
    state.keys.set(id, after)
    return after
  }

  return KeyStore.of({
    insert: (key) => Effect.sync(() => void state.keys.set(key.id, key)),
    findByHash: (hash) => Effect.sync(() => owned(state.keys.values().find((key) => key.hash === hash))),
    findById: (id) => Effect.sync(() => owned(state.keys.get(id))),
    list: (account) =>
      Effect.sync(() =>
        Array.from(state.keys.values())
          .filter((key) => key.accountId === account)
          .toSorted((a, b) => byText(a.id, b.id))
      ),
    revoke: (id, at) =>
      Effect.sync(() => Option.fromUndefinedOr(change(id, (key) => ({ ...key, revokedAt: key.revokedAt ?? at })))),
    rotate: ({ now, old, oldExpiresAt, replacement }) =>
      Effect.sync(() => {
        const before = state.keys.get(old)
        if (before === undefined || !isLive(before, now)) return false
        state.keys.set(old, { ...before, expiresAt: oldExpiresAt })
        state.keys.set(replacement.id, replacement)
        return true
      }),
    touch: (id, at) =>
      Effect.sync(
        () =>
          void change(id, (key) =>
            key.lastUsedAt !== undefined && DateTime.isGreaterThan(key.lastUsedAt, at)
              ? key
              : { ...key, lastUsedAt: at }
          )
      )
  })
}
