import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { hashSecret } from "../../../core/rules/credentials.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { Sessions } from "../../../core/service/Sessions.ts"
import { Faults } from "../parts/injectFaults.ts"
import type { Cases } from "../parts/suite.ts"
import { failEachCall } from "./eachCall.ts"
import type { ServicePorts, Services } from "./world.ts"
import { newAccount } from "../parts/stored.ts"

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
