import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { it } from "../../core/testing/layer.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { newBuild, newHome } from "../kit/parts/stored.ts"
import { makeKey } from "../kit/parts/samples.ts"
import { recording } from "../sql/testing/statements.ts"
import { layer, layerClient, layerMigrations } from "./index.ts"
import { newDatabase } from "./testing/server.ts"

const layerNew = Layer.unwrap(
  Effect.map(newDatabase, (url) =>
    layer.pipe(Layer.provide(layerMigrations), Layer.provide(layerClient({ url: Redacted.make(url) })))
  )
)

it.live("concurrent look-ups share a statement, of builds within an account, and each gets its own answer", () =>
  Effect.gen(function* () {
    const [keys, builds] = [yield* KeyStore, yield* BuildStore]
    const [home, other] = [yield* newHome, yield* newHome]
    const [key, unknown] = [makeKey(home.account), makeKey(home.account)]
    yield* keys.insert(key)
    const { build } = yield* newBuild(home)
    const { build: second } = yield* newBuild(home)
    const { build: foreign } = yield* newBuild(other)
    const unbounded = { concurrency: "unbounded" } as const
    const hashes = [key.hash, unknown.hash, key.hash]
    const found = yield* recording(Effect.forEach(hashes, keys.findByHash, unbounded))
    assert.deepStrictEqual(
      found.answer.map((owner) => Option.getOrUndefined(owner)?.key.id),
      [key.id, undefined, key.id]
    )
    assert.lengthOf(found.statements, 1)
    const asked = [
      [home, build],
      [home, second],
      [other, foreign],
      [home, foreign]
    ] as const
    const shown = yield* recording(
      Effect.forEach(asked, ([{ account }, { id }]) => builds.findById(account.id, id), unbounded)
    )
    assert.deepStrictEqual(
      shown.answer.map((view) => Option.getOrUndefined(view)?.build.id),
      [build.id, second.id, foreign.id, undefined]
    )
    assert.lengthOf(shown.statements, 2)
  }).pipe(Effect.provide(layerNew))
)
