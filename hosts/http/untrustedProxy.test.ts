import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { IpNetwork } from "effect/net"
import { TestClock } from "effect/testing"
import { inMemory } from "./testing/engines.ts"
import { capturedLog } from "./testing/capturedLog.ts"
import { TestHost } from "./testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"

const forwarded = Effect.flatMap(TestHost, ({ call }) =>
  call("GET", "/healthz", { headers: { "x-forwarded-for": "192.0.2.1" } })
)

const direct = capturedLog()

layer(TestHost.layer(inMemory).pipe(Layer.provide(direct.layer)))("X-Forwarded-For from no trusted proxy", (it) => {
  it.effect("is warned of at most once an hour, and plain requests never", function* () {
    const { call } = yield* TestHost
    yield* call("GET", "/healthz")
    assert.isEmpty(direct.lines)
    yield* Effect.replicateEffect(forwarded, 3)
    assert.lengthOf(direct.lines, 1)
    assert.match(
      direct.lines[0] ?? "",
      /level=WARN .*X-Forwarded-For from 127\.0\.0\.1 was ignored.*SLIPWAY_TRUSTED_PROXIES/
    )
    yield* TestClock.adjust("59 minutes")
    yield* forwarded
    assert.lengthOf(direct.lines, 1)
    yield* TestClock.adjust("1 minute")
    yield* Effect.replicateEffect(forwarded, 3)
    assert.lengthOf(direct.lines, 2)
  })
})

const behind = capturedLog()
const trustedProxies = [IpNetwork.fromStringUnsafe("127.0.0.0/8")]

layer(TestHost.layer(inMemory, {}, { trustedProxies }).pipe(Layer.provide(behind.layer)))(
  "X-Forwarded-For from a trusted proxy",
  (it) => {
    it.effect("is not warned of", function* () {
      yield* forwarded
      assert.isEmpty(behind.lines)
    })
  }
)
