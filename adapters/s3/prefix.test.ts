import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OptionsUnusable } from "./index.ts"
import { newPrefix, openStore, put, sharedBucket } from "./testing/openStore.ts"
import { hasS3 } from "./testing/server.ts"

const keysBelow = (store: ObjectStore["Service"], prefix: string) =>
  Effect.map(store.list(prefix), (objects) => objects.map(({ key }) => key))

describe.skipIf(!hasS3)("a prefix in a bucket", () => {
  it.live("is put before every key, and its store sees no other objects", () =>
    Effect.gen(function* () {
      const options = yield* newPrefix
      const whole = yield* openStore(yield* sharedBucket)
      const [one, other] = [
        yield* openStore({ ...options, prefix: `${options.prefix}one/` }),
        yield* openStore({ ...options, prefix: `${options.prefix}other/deep/` })
      ]
      yield* put(one, "uploads/a", "one")
      yield* put(other, "uploads/a", "other")
      yield* other.promote("uploads/a", "hosted/a")
      assert.deepStrictEqual(yield* keysBelow(whole, options.prefix), [
        `${options.prefix}one/uploads/a`,
        `${options.prefix}other/deep/hosted/a`,
        `${options.prefix}other/deep/uploads/a`
      ])
      assert.deepStrictEqual(yield* keysBelow(one, "uploads/"), ["uploads/a"])
      assert.strictEqual((yield* Effect.flip(Effect.scoped(one.read("hosted/a"))))._tag, "ObjectMissing")
      yield* one.remove(["uploads/a", "hosted/a"])
      assert.deepStrictEqual(yield* keysBelow(one, "uploads/"), [])
      assert.strictEqual((yield* Effect.scoped(other.read("hosted/a"))).sizeBytes, 5)
    }).pipe(Effect.scoped)
  )
})

describe("invalid options", () => {
  it.live.each([
    { prefix: "team" },
    { prefix: "/team/" },
    { prefix: "a//b/" },
    { prefix: "../" },
    { prefix: "a b/" },
    { endpoint: "127.0.0.1:9000" },
    { endpoint: "ftp://127.0.0.1" }
  ])("are refused: %j", (options) =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(openStore({ bucket: "bucket", region: "us-east-1", ...options }))
      assert.instanceOf(refused, OptionsUnusable)
      assert.isNotEmpty(refused.message)
    }).pipe(Effect.scoped)
  )
})
