import { assert } from "@effect/vitest"
import { DateTime } from "effect"
import { offBy } from "./clocks.ts"
import { assertRefused, bench, text, type, utf8, type Capabilities, type It } from "./objectStoreBench.ts"
import { put, send } from "./objectStoreClient.ts"

/** Cases of presigned URLs where the clock of the host that signs differs from the store's. */
export const clocks = (it: It, capabilities: Capabilities): void => {
  const { skewMinutes = 10 } = capabilities

  it.effect.each([skewMinutes, -skewMinutes])(
    "URLs signed by a host whose clock is %d minutes off are valid until they expire",
    function* (minutes) {
      const { contentOf, prefix, presignGet, presignPut } = yield* bench
      const key = `${prefix}signed`
      const putUrl = yield* offBy({ minutes })(presignPut({ key }))
      assert.strictEqual((yield* put(putUrl, type, utf8("hello"))).status, 200)
      assert.strictEqual(yield* contentOf(key), "hello")
      const answer = yield* send(yield* offBy({ minutes })(presignGet(key)))
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(text(answer.body), "hello")
    }
  )

  it.effect("URLs signed by a host whose clock is behind don't live longer", function* () {
    const { contentOf, prefix, presignPut, store, stored } = yield* bench
    const key = yield* stored(`${prefix}signed`, utf8("hello"))
    const expiresAt = DateTime.subtract(yield* DateTime.now, { seconds: 2 })
    const signed = offBy({ minutes: -skewMinutes })
    assertRefused(yield* put(yield* signed(presignPut({ key, expiresAt })), type, utf8("later")), capabilities)
    assertRefused(yield* send(yield* signed(store.presignGet({ key, expiresAt }))), capabilities)
    assert.strictEqual(yield* contentOf(key), "hello")
  })
}
