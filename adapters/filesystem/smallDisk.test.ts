/** A real full disk and a real read-only one, where this user may mount them in a separate namespace. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { it } from "../../core/testing/layer.ts"
import { mayMount, namespace } from "./testing/mount.ts"
import { temporaryDirectory } from "./testing/store.ts"

const [unshare, ...options] = namespace

describe.skipIf(!mayMount)("a small disk", () => {
  it.live(
    "refuses uploads without room with 507, keeps what is there, and takes uploads again once there is room",
    function* () {
      const directory = yield* temporaryDirectory
      const script = join(import.meta.dirname, "testing/smallDisk.ts")
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(unshare, [...options, process.execPath, script, directory])
      )
      const { again, check, first, full, kept, left, readOnly, refused, replaced } = JSON.parse(stdout)
      assert.strictEqual(first.status, 200, first.text)
      for (const { status, text } of [full, replaced]) {
        assert.strictEqual(status, 507)
        assert.include(text, "The disk that keeps uploads is full, so nothing was stored")
        assert.include(text, "insufficient_storage")
      }
      assert.deepStrictEqual(left, [".tmp", "objects", "objects/uploads", "objects/uploads/first,object"])
      assert.deepStrictEqual(
        kept.map(({ sizeBytes }: { readonly sizeBytes: number }) => sizeBytes),
        [600_000]
      )
      assert.strictEqual(again.status, 200, again.text)
      assert.strictEqual(readOnly.status, 503)
      assert.strictEqual(check, "Unavailable")
      assert.strictEqual(
        refused,
        `Objects can't be kept in ${directory} (EROFS): its file system is read-only; mount it for writing, or name another directory.`
      )
    }
  )
})
