/**
 * Uploads to a disk of 1 MiB that is mounted on the given directory. It is a separate process, because only one with
 * its own namespace may mount. It prints each step's answer as JSON.
 */
import { DateTime, Effect, Logger } from "effect"
import { execFileSync } from "node:child_process"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { loopback } from "../../kit/parts/objectStoreHarness.ts"
import { layer } from "../index.ts"
import { openStore, tree } from "./store.ts"

const directory = process.argv[2] ?? ""
const mount = (...options: ReadonlyArray<string>) =>
  Effect.sync(() => execFileSync("mount", [...options, "none", directory]))

/** A PUT of so many bytes by a presigned URL. */
const put = Effect.fnUntraced(function* (key: string, sizeBytes: number) {
  const contentType = "text/plain"
  const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 5 })
  const [url = ""] = yield* (yield* ObjectStore).presignPuts([{ key, contentType, sizeBytes, expiresAt }])
  return yield* Effect.promise(async () => {
    const headers = { "content-type": contentType }
    const answer = await fetch(url, { method: "PUT", headers, body: new Uint8Array(sizeBytes) })
    return { status: answer.status, text: await answer.text() }
  })
})

const steps = Effect.gen(function* () {
  const store = yield* ObjectStore
  const first = yield* put("uploads/first", 600_000)
  const full = yield* put("uploads/second", 600_000)
  const replaced = yield* put("uploads/first", 600_000)
  const left = yield* tree(directory)
  const kept = yield* store.list("uploads/")
  yield* store.remove(["uploads/first"])
  const again = yield* put("uploads/second", 600_000)
  yield* mount("-o", "remount,ro")
  const readOnly = yield* put("uploads/third", 10)
  const check = yield* Effect.flip(store.check)
  return { first, full, replaced, left, kept, again, readOnly, check: check._tag }
}).pipe(Effect.provide(loopback(layer({ directory }))))

Effect.gen(function* () {
  yield* mount("-t", "tmpfs", "-o", "size=1m")
  const answers = yield* steps
  const { message: refused } = yield* Effect.flip(Effect.scoped(openStore(directory)))
  console.log(JSON.stringify({ ...answers, refused }))
}).pipe(Effect.provide(Logger.layer([])), Effect.runPromise)
