import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/**
 * How many files of Slipway a request runs at most, and how many calls of functions of Effect. A new version of Effect may change
 * the calls: then the limits follow, if `node hosts/bench/paths.ts` shows no reason in Slipway.
 */
const limits = {
  "reserve a build": { files: 49, calls: 3750 },
  "PUT 15 kB to files": { files: 28, calls: 3700 },
  finalize: { files: 51, calls: 4650 },
  "read a build": { files: 28, calls: 1100 },
  "register a run": { files: 51, calls: 4750 },
  "page of a run": { files: 59, calls: 3900 }
}

const Counts = Schema.Record(Schema.String, Schema.Struct({ files: Schema.Int, calls: Schema.Int }))

describe("a warm request", () => {
  it("runs at most so many files and calls of Effect", async () => {
    const program = fileURLToPath(new URL("paths.ts", import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [program, "--json"])
    const counts = Schema.decodeUnknownSync(Schema.fromJsonString(Counts))(stdout)
    assert.deepStrictEqual(Object.keys(counts), Object.keys(limits))
    for (const [request, { calls, files }] of Object.entries(limits)) {
      assert.isAtMost(counts[request]?.files ?? Infinity, files, `files of: ${request}`)
      assert.isAtMost(counts[request]?.calls ?? Infinity, calls, `calls of: ${request}`)
    }
  })
})
