/** A host may allow more files than are decoded in one turn of the event loop. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { inMemory } from "./testing/engines.ts"
import { previews } from "./testing/largeBodies.ts"
import { layer } from "../../core/testing/layer.ts"
import { previewBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"

layer(
  TestHost.layer(inMemory, {
    limits: { bundleBytes: 1000, fileBytes: 500, totalBytes: 100_000, files: 5000, recordings: 2 }
  })
)("a host that allows 5,000 files", (it) => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ path: `f${n}`, sizeBytes: 1, contentType: "a/b" }))

  const send = Effect.fnUntraced(function* (list: ReadonlyArray<unknown>, fields: Record<string, unknown> = {}) {
    const host = yield* TestHost
    const { key } = yield* newAccount(["preview_upload"])
    return yield* host.call("POST", previews, { key, body: previewBody({ files: list, ...fields }) })
  })

  it.effect("accepts them", function* () {
    const answer = yield* send(files(5000))
    assert.strictEqual(answer.status, 201, answer.text.slice(0, 1000))
  })

  it.effect("names each issue by its index in the whole list, and those of other fields once", function* () {
    const list = files(3500).map((one, n) => (n % 1500 === 7 ? { ...one, sizeBytes: -1 } : one))
    const problem = yield* refusal(yield* send(list, { entry: "" }), 400, "invalid_request")
    assert.deepStrictEqual(problem._tag === "InvalidRequest" ? problem.issues.map(({ path }) => path).toSorted() : [], [
      "entry",
      "files.1507.sizeBytes",
      "files.3007.sizeBytes",
      "files.7.sizeBytes"
    ])
  })

  it.effect("names a path that is declared twice, however far apart", function* () {
    const problem = yield* refusal(yield* send([...files(3000), ...files(1)]), 400, "invalid_request")
    assert.deepStrictEqual(problem._tag === "InvalidRequest" ? problem.issues.map(({ path }) => path) : [], [
      "files.3000.path"
    ])
  })
})
