import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { it } from "../../core/testing/layer.ts"

const run = promisify(execFile)

it.live(
  "a process with half a gigabyte of memory survives eight bodies with a third of a million items each",
  function* () {
    const program = new URL("testing/smallHeap.ts", import.meta.url).pathname
    const { stdout } = yield* Effect.promise(() => run(process.execPath, ["--max-old-space-size=512", program]))
    assert.deepStrictEqual(JSON.parse(stdout), Array(8).fill(400))
  }
)
