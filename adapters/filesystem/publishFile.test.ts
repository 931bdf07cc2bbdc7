import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile, rmdir, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { attempt } from "./attempt.ts"
import { publishFile } from "./publishFile.ts"
import { tree } from "./testing/store.ts"
import { temporaryDirectory } from "./testing/temporaryDirectory.ts"

describe("publishFile", () => {
  it.effect("replaces a file of the same name and makes the missing folders", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const target = join(root, "a/b/target")
      for (const content of ["first", "second"]) {
        yield* Effect.promise(() => writeFile(join(root, "file"), content))
        yield* publishFile(join(root, "file"), target)
        assert.strictEqual(yield* Effect.promise(() => readFile(target, "utf8")), content)
      }
      assert.deepStrictEqual(yield* tree(root), ["a", "a/b", "a/b/target"])
    })
  )

  it.effect("succeeds while others remove its folders as empty", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const [file, target] = [join(root, "file"), join(root, "a/b/target")]
      const removing = Effect.forever(
        Effect.forEach([join(root, "a/b"), join(root, "a")], (folder) => Effect.ignore(attempt(() => rmdir(folder))))
      )
      const placing = Effect.gen(function* () {
        for (let round = 0; round < 50; round++) {
          yield* Effect.promise(() => writeFile(file, ""))
          yield* publishFile(file, target)
          yield* Effect.promise(() => unlink(target))
        }
      })
      yield* Effect.raceFirst(placing, removing)
    })
  )

  it.effect("fails when there is no such file", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const error = yield* Effect.flip(publishFile(join(root, "none"), join(root, "a/target")))
      assert.strictEqual(error.code, "ENOENT")
    })
  )
})
