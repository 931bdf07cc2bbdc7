import { assert } from "@effect/vitest"
import { Duration, Effect, Redacted, Result } from "effect"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { Faults } from "../parts/injectFaults.ts"
import { plainKey } from "../parts/plain.ts"
import type { Cases } from "../parts/suite.ts"
import { failEachCall } from "./eachCall.ts"
import type { ServicePorts, Services } from "./world.ts"
import { newAccount } from "../parts/stored.ts"

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
