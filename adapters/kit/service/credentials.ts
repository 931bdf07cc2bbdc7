import { assert } from "@effect/vitest"
import { Duration, Effect, Redacted, Result } from "effect"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { hashSecret } from "../../../core/rules/credentials.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Sessions } from "../../../core/service/Sessions.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { Faults } from "../parts/injectFaults.ts"
import { plainKey } from "../parts/plain.ts"
import { newAccount } from "../parts/stored.ts"
import type { Cases } from "../parts/suite.ts"
import { newPreview } from "./uploads.ts"
import { failEachCall, newTeam, type ServicePorts, type Services } from "./world.ts"

const begin = (caller: Parameters<Sessions["Service"]["begin"]>[0], replaces?: string) =>
  Sessions.use((sessions) => sessions.begin(caller, { from: { address: "192.0.2.1" }, replaces }))

/** An account with one key and two sessions of it. */
const newSessions = Effect.gen(function* () {
  const account = yield* newAccount
  const { record } = yield* Administration.use((one) =>
    one.createKey({ account: account.name, name: "laptop", scopes: ["builds"] })
  )
  const caller = { account, keyId: record.id }
  return { caller, account, scopes: record.scopes, one: yield* begin(caller), other: yield* begin(caller) }
})

const resolve = (secret: string) => Sessions.use((sessions) => sessions.resolve(secret))

const isOver = (secret: string) => Effect.map(Effect.result(resolve(secret)), Result.isFailure)

const idsOf = (caller: Parameters<Sessions["Service"]["list"]>[0]) =>
  Effect.map(
    Sessions.use((sessions) => sessions.list(caller)),
    ({ sessions }) => sessions.map(({ id }) => id)
  )

export const sessionServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, either the new session has replaced the old one or the old one continues", () =>
    failEachCall(
      newSessions,
      ({ caller, one }) => begin(caller, one.secret),
      function* ({ caller, one, other }, result) {
        const ids = yield* idsOf(caller)
        assert.lengthOf(ids, 2)
        assert.include(ids, other.session.id)
        assert.strictEqual(yield* isOver(one.secret), !ids.includes(one.session.id))
        if (Result.isFailure(result)) return
        const { secret, session } = result.success
        assert.include(ids, session.id)
        assert.strictEqual(session.secretHash, hashSecret(secret))
        assert.strictEqual((yield* resolve(secret)).sessionId, session.id)
      }
    )
  )

  it.effect("whichever call fails, a session either identifies its caller or is refused", () =>
    failEachCall(
      newSessions,
      ({ one }) => resolve(one.secret),
      function* ({ account, caller, one, scopes }, result) {
        const expected = {
          account: { id: account.id, name: account.name },
          keyId: caller.keyId,
          scopes,
          sessionId: one.session.id,
          until: one.session.expiresAt
        }
        if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, expected)
        assert.deepStrictEqual(yield* resolve(one.secret), expected)
      }
    )
  )

  const endings = {
    "signed out": ({ one }) => Sessions.use((sessions) => sessions.signOut(one.secret)),
    ended: ({ caller, one }) => Sessions.use((sessions) => sessions.end(caller, one.session.id)),
    "ended with all of its key": ({ caller }) => Sessions.use((sessions) => sessions.endAll(caller))
  } satisfies Record<string, (world: Effect.Success<typeof newSessions>) => Effect.Effect<void, unknown, Sessions>>

  for (const [how, act] of Object.entries(endings)) {
    it.effect(
      `whichever call fails, a session that was answered as ${how} has ended, and repeating the call ends it`,
      () =>
        failEachCall(newSessions, act, function* (world, result) {
          if (Result.isSuccess(result)) assert.isTrue(yield* isOver(world.one.secret), "a session that continues")
          yield* act(world)
          assert.isTrue(yield* isOver(world.one.secret))
          assert.strictEqual(yield* isOver(world.other.secret), act === endings["ended with all of its key"])
        })
    )
  }

  it.effect("a session continues while the use of its key can't be recorded", function* () {
    const { one } = yield* newSessions
    const { answer, calls } = yield* (yield* Faults).during(({ method }) =>
      method === "KeyStore.touch" ? "before" : undefined
    )(resolve(one.secret))
    assert.strictEqual(answer.sessionId, one.session.id)
    const methods = calls.map(({ method }) => method)
    assert.deepStrictEqual(methods, ["SessionStore.findByHash", "KeyStore.touch"])
  })
}

const newKey = Effect.gen(function* () {
  const account = yield* newAccount
  const { key, record } = yield* Administration.use((one) =>
    one.createKey({ account: account.name, name: "ci", scopes: ["builds"] })
  )
  return { account, credential: Redacted.make(key), record }
})

const authenticate = (credential: Redacted.Redacted) => Authorization.use((one) => one.authenticate(credential))

export const keyServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a key is either revoked or works, and repeating the call revokes it", () =>
    failEachCall(
      newKey,
      ({ record }) => Administration.use((one) => one.revokeKey({ id: record.id })),
      function* ({ credential, record }, result) {
        const before = yield* Effect.result(authenticate(credential))
        if (Result.isSuccess(result)) assert.isTrue(Result.isFailure(before), "a revoked key that is good")
        yield* Administration.use((one) => one.revokeKey({ id: record.id }))
        assert.strictEqual((yield* Effect.flip(authenticate(credential)))._tag, "Unauthorized")
      }
    )
  )

  it.effect("whichever call fails, a key is rotated whole or not at all", () =>
    failEachCall(
      newKey,
      ({ record }) => Administration.use((one) => one.rotateKey({ id: record.id, overlap: Duration.hours(1) })),
      function* ({ account, credential, record }, result) {
        const [old, ...others] = (yield* KeyStore.use((keys) => keys.list(account.id))).map(plainKey)
        assert.strictEqual(old?.id, record.id)
        assert.strictEqual(others.length, old?.expiresAt === undefined ? 0 : 1, "new keys")
        if (Result.isSuccess(result)) assert.deepStrictEqual(others, [plainKey(result.success.record)])
        assert.strictEqual((yield* authenticate(credential)).keyId, record.id)
      }
    )
  )

  it.effect("a key works while its use can't be recorded", function* () {
    const { credential, record } = yield* newKey
    const { answer, calls } = yield* (yield* Faults).during(({ method }) =>
      method === "KeyStore.touch" ? "before" : undefined
    )(authenticate(credential))
    assert.strictEqual(answer.keyId, record.id)
    assert.include(
      calls.map(({ method }) => method),
      "KeyStore.touch"
    )
  })
}

const newShared = Effect.gen(function* () {
  const team = yield* newTeam
  const { shareId, token } = yield* newPreview(team)
  yield* Previews.use((previews) => previews.finalize(team.caller, token))
  return { caller: team.caller, shared: { preview: shareId } }
})

const newLink = Effect.gen(function* () {
  const { caller, shared } = yield* newShared
  const { link, secret } = yield* ShareLinks.use((links) => links.create(caller, shared))
  return { caller, shared, id: link.id, secret }
})

const open = (secret: string) => ShareLinks.use((links) => links.open(secret))

export const shareLinkServiceCases = (it: Cases<Services | Faults | ServicePorts>) => {
  it.effect("whichever call fails, a link is made and opens, or opens nothing", () =>
    failEachCall(
      newShared,
      ({ caller, shared }) => ShareLinks.use((links) => links.create(caller, shared)),
      function* ({ caller, shared }, result) {
        const { links } = yield* ShareLinks.use((all) => all.list(caller, shared))
        if (Result.isFailure(result)) return assert.isAtMost(links.length, 1)
        const ids = links.map(({ id }) => id)
        assert.deepStrictEqual(ids, [result.success.link.id])
        assert.deepStrictEqual((yield* open(result.success.secret)).shared, shared)
      }
    )
  )

  it.effect(
    "whichever call fails, a link that was answered as revoked opens nothing, and repeating the call revokes it",
    () =>
      failEachCall(
        newLink,
        ({ caller, id, shared }) => ShareLinks.use((links) => links.revoke(caller, shared, id)),
        function* ({ caller, id, secret, shared }, result) {
          const opened = yield* Effect.result(open(secret))
          if (Result.isSuccess(result)) assert.isTrue(Result.isFailure(opened), "a revoked link that opens")
          yield* ShareLinks.use((links) => links.revoke(caller, shared, id))
          assert.strictEqual((yield* Effect.flip(open(secret)))._tag, "ShareLinkEnded")
        }
      )
  )

  it.effect("whichever call fails, a link opens what it was made for or nothing", () =>
    failEachCall(
      newLink,
      ({ secret }) => open(secret),
      function* ({ id, secret }, result) {
        if (Result.isSuccess(result)) assert.strictEqual(result.success.id, id)
        assert.strictEqual((yield* open(secret)).id, id)
      }
    )
  )
}
