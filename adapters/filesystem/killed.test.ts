import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { it } from "../../core/testing/layer.ts"
import { openStore, temporaryDirectory, tree } from "./testing/store.ts"

/** Receives half of an object in another process, and kills that process. */
const killHalfway = (directory: string): Effect.Effect<void> =>
  Effect.promise(async (signal) => {
    const script = join(import.meta.dirname, "testing/halfAPut.ts")
    const child = spawn(process.execPath, [script, directory], { stdio: ["ignore", "pipe", "inherit"], signal })
    const exit = once(child, "exit")
    await Promise.race([once(child.stdout, "data"), exit])
    child.kill("SIGKILL")
    const [code, by] = await exit
    assert.deepStrictEqual([code, by], [null, "SIGKILL"])
  })

describe("a process that is killed in the middle of a PUT", () => {
  it.effect("leaves no object, and a store that works", function* () {
    const directory = yield* temporaryDirectory
    yield* Effect.scoped(Effect.flatMap(openStore(directory), ({ keep }) => keep("uploads/before", "hello")))
    yield* killHalfway(directory)
    const [leftover] = yield* tree(join(directory, ".tmp"))
    const { size } = yield* Effect.promise(() => stat(join(directory, ".tmp", leftover ?? "none")))
    assert.isAbove(size, 500_000)

    const { contentOf, keep, store } = yield* openStore(directory)
    assert.deepStrictEqual(
      (yield* store.list("uploads/")).map(({ key }) => key),
      ["uploads/before"]
    )
    assert.strictEqual((yield* Effect.flip(store.read("uploads/killed")))._tag, "ObjectMissing")
    assert.strictEqual(yield* contentOf("uploads/before"), "hello")
    yield* keep("uploads/killed", "stored after all")
    assert.strictEqual(yield* contentOf("uploads/killed"), "stored after all")
  })
})
