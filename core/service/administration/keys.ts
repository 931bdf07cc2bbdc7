import { DateTime, Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { KeyId, type ApiKey } from "../../model/ApiKey.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import { KeyStore } from "../../ports/KeyStore.ts"
import { keyCreated, keyRevoked } from "../../rules/events.ts"
import { rotatedExpiry } from "../../rules/keys.ts"
import { hashSecret, makeKey } from "../../rules/secrets.ts"
import { makeAuditing } from "../auditing.ts"
import { makeRandomText } from "../randomText.ts"
import { makeEventPublisher } from "../eventPublisher.ts"
import { makeAccountNamed } from "./accountNamed.ts"
import { ofKey } from "../auditSubjects.ts"
import type { Commands } from "./Commands.ts"
import { distinctScopes } from "./distinctScopes.ts"
import { refuse } from "./refuse.ts"

/** API keys. */
export const makeKeyCommands = Effect.gen(function* () {
  const keys = yield* KeyStore
  const random = yield* SecureRandom
  const randomText = yield* makeRandomText
  const publish = yield* makeEventPublisher
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  const newKey = Effect.map(
    Effect.suspend(() => randomText(40)),
    makeKey
  )

  const commands: Commands<"createKey" | "listKeys" | "revokeKey" | "rotateKey"> = {
    createKey: Effect.fn("Administration.createKey")(function* (params) {
      const account = yield* accountNamed(params.account)
      const createdAt = yield* DateTime.now
      const key = yield* newKey
      const record: ApiKey = {
        id: KeyId.make(yield* random.uuidV7()),
        accountId: account.id,
        name: params.name,
        hash: hashSecret(key),
        scopes: distinctScopes(params.scopes),
        createdAt,
        ...withoutUndefined({ expiresAt: params.life && DateTime.addDuration(createdAt, params.life) })
      }
      yield* publish(keyCreated(record), createdAt, (event) =>
        auditing(ofKey("key.created", record, createdAt), keys.insert(record, event))
      )
      return { key, record, account }
    }),

    listKeys: Effect.fn("Administration.listKeys")(function* (params) {
      const account = yield* accountNamed(params.account)
      return { account, keys: yield* keys.list(account.id) }
    }),

    revokeKey: Effect.fn("Administration.revokeKey")(function* ({ id }) {
      const found = yield* keys.findById(id)
      if (Option.isNone(found)) return yield* refuse(`There is no key with the id ${id}.`)
      const { account, key: before } = found.value
      const now = yield* DateTime.now
      const revoked = yield* publish(keyRevoked(before), now, (event) =>
        auditing(ofKey("key.revoked", before, now), keys.revoke(id, now, event), () => before.revokedAt === undefined)
      )
      return { account, key: Option.getOrElse(revoked, () => before) }
    }),

    rotateKey: Effect.fn("Administration.rotateKey")(function* ({ id, overlap }) {
      const old = Option.getOrUndefined(yield* keys.findById(id))
      if (old === undefined) return yield* refuse(`There is no key with the id ${id}.`)
      const now = yield* DateTime.now
      const key = yield* newKey
      const life = old.key.expiresAt === undefined ? undefined : DateTime.distance(old.key.createdAt, old.key.expiresAt)
      const replacement: ApiKey = {
        id: KeyId.make(yield* random.uuidV7()),
        accountId: old.key.accountId,
        name: old.key.name,
        hash: hashSecret(key),
        scopes: old.key.scopes,
        createdAt: now,
        ...withoutUndefined({ expiresAt: life && DateTime.addDuration(now, life) })
      }
      const oldExpiresAt = rotatedExpiry(old.key, now, overlap)
      const isRotated = yield* publish(keyCreated(replacement), now, (event) =>
        auditing(
          { ...ofKey("key.rotated", old.key, now), detail: `${old.key.name}, replaced by key:${replacement.id}` },
          keys.rotate({ old: id, oldExpiresAt, now, replacement, event }),
          (isRotated) => isRotated
        )
      )
      return isRotated
        ? { key, record: replacement, account: old.account }
        : yield* refuse(`The key ${id} is revoked or expired; create a new one instead.`)
    })
  }
  return commands
})
