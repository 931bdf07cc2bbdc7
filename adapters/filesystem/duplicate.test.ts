import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { duplicate } from "./duplicate.ts"
import { temporaryDirectory } from "./testing/temporaryDirectory.ts"

const refusing = (code: string) => () =>
  Promise.reject(Object.assign(new Error(`${code}: no link`), { code, syscall: "link" }))

describe("duplicate", () => {
  it.effect("links", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const [from, to] = [join(folder, "from"), join(folder, "to")]
      yield* Effect.promise(() => writeFile(from, "hello"))
      yield* duplicate(from, to)
      assert.strictEqual((yield* Effect.promise(() => stat(to))).nlink, 2)
    })
  )

  it.effect.each(["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "EXDEV"])("copies where links fail with %s", (code) =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const [from, to] = [join(folder, "from"), join(folder, "to")]
      yield* Effect.promise(() => writeFile(from, "hello", { mode: 0o600 }))
      yield* duplicate(from, to, refusing(code))
      const [content, { mode, nlink }] = yield* Effect.promise(() => Promise.all([readFile(to, "utf8"), stat(to)]))
      assert.deepStrictEqual([content, mode & 0o777, nlink], ["hello", 0o600, 1])
    })
  )

  it.effect("fails when the system refuses for another reason", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      const failure = (link?: () => Promise<never>) =>
        Effect.map(Effect.flip(duplicate(join(folder, "from"), join(folder, "to"), link)), ({ code }) => code)
      assert.strictEqual(yield* failure(refusing("EIO")), "EIO")
      assert.strictEqual(yield* failure(refusing("EPERM")), "ENOENT")
      assert.strictEqual(yield* failure(), "ENOENT")
    })
  )
})
