/** What a host has forced to its disk before it answers, by the system calls of its process. */
import { assert, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createClient } from "../client/index.ts"
import { anyStores, newKey, startHost } from "./testing/deployment.ts"
import { identity, putAll, repository, upload, uploadPreview } from "./testing/flow.ts"
import { temporaryFolder } from "./testing/slipway.ts"

const hasStrace = spawnSync("strace", ["-V"]).status === 0

const traced = ["read", "write", "writev", "pwrite64", "fsync", "fdatasync"]

/** The system calls from the arrival of each POST to the beginning of its answer. */
const betweenPostAndResponse = (calls: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  calls.flatMap((call, at) => {
    if (!/^read\(\d+<[^"]*"POST /.test(call)) return []
    const answered = calls.findIndex((later, index) => index > at && /^writev?\(\d+<[^"]*"HTTP\/1\.1 /.test(later))
    assert.isAbove(answered, at, `no answer to ${call}`)
    return [calls.slice(at, answered)]
  })

const written = /^pwrite64\(\d+<[^>]*metadata\.sqlite-wal>/
const forced = /^f(?:data)?sync\(\d+<[^>]*metadata\.sqlite-wal>\)\s+= 0/

describe.skipIf(!hasStrace)("a host on SQLite", () => {
  it("forces what it stores to the disk between a request's arrival and its answer", async () => {
    const trace = join(temporaryFolder(), "trace")
    const env = anyStores()
    // Each thread is written to a file of its own, and strace is no parent of the host, which keeps its process id.
    const options = ["-D", "-ff", "-y", "-s", "64", "-o", trace, "-e", `trace=${traced.join(",")}`]
    const host = await startHost(env, undefined, ["strace", ...options])
    const { key } = await newKey(env)
    const client = createClient({ url: host.url, key })
    const app = upload("app", 1)
    const build = await client.builds.reserve({ ...identity(1), ...app.declaration })
    await putAll(client, build.slots, app)
    await client.builds.finalize(build.token)
    const preview = await uploadPreview(client, app)
    await client.testRuns.register({ ...repository, kind: "maestro", name: "Home", previewShareId: preview.shareId })
    await host.stop("SIGTERM")

    const posts = betweenPostAndResponse(readFileSync(`${trace}.${host.child.pid}`, "utf8").split("\n"))
    assert.lengthOf(posts, 5)
    for (const calls of posts) {
      const last = calls.findLastIndex((call) => written.test(call))
      assert.isAbove(last, -1, `nothing was written after ${calls[0]}`)
      assert.isTrue(
        calls.slice(last).some((call) => forced.test(call)),
        `nothing was forced to the disk after ${calls[0]}`
      )
    }
  })
})
