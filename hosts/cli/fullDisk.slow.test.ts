/** A host whose metadata lies on a disk that is really full, where this user may mount a small one. */
import { Schema } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { mayMount, onSmallDisk, seenBy } from "../../adapters/filesystem/testing/mount.ts"
import { startOnSmallDisk } from "../../adapters/postgres/testing/smallDisk.ts"
import { createClient } from "../client/index.ts"
import { SlipwayError } from "../client/SlipwayError.ts"
import { anyStores, type Host, newKey, startHost } from "./testing/deployment.ts"
import { identity, putAll, repository, upload } from "./testing/flow.ts"
import { slipway, slipwayJson, temporaryFolder } from "./testing/slipway.ts"

const namesIn = (listed: unknown): ReadonlyArray<string> =>
  Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))(listed).map(({ name }) => name)

/** A host with objects that have room, and metadata that have not: until `makeRoom`. */
interface Cramped {
  readonly host: Host
  readonly env: Record<string, string>
  readonly makeRoom: () => void
}

const onSqlite = async (): Promise<Cramped> => {
  const disk = temporaryFolder()
  const env = { ...anyStores(), DATABASE_URL: `sqlite:${join(disk, "metadata.sqlite")}` }
  const host = await startHost(env, undefined, onSmallDisk(3, disk))
  return { host, env, makeRoom: () => rmSync(seenBy(host.child.pid, join(disk, "ballast"))) }
}

const onPostgres = async (): Promise<Cramped> => {
  const { makeRoom, remove, url } = await startOnSmallDisk()
  onTestFinished(remove)
  const env = { ...anyStores(), DATABASE_URL: url }
  return { host: await startHost(env), env, makeRoom }
}

const sentence =
  "The disk of the service's database is full, so nothing was stored; once its operator has made room, send it again."

/** Repeats a write until it is refused for want of room, and answers how often it was made. */
const untilFull = async (write: (nth: number) => Promise<unknown>): Promise<number> => {
  for (let nth = 0; ; nth++) {
    try {
      await write(nth)
    } catch (error) {
      if (!(error instanceof SlipwayError)) throw error
      assert.deepInclude(error.problem, { status: 507, code: "insufficient_storage", detail: sentence })
      return nth
    }
  }
}

/** Makes accounts by the command line until one is refused, and answers their names. */
const untilRefused = async (env: Record<string, string>): Promise<ReadonlyArray<string>> => {
  for (const made: Array<string> = ["acme"]; ;) {
    const name = `${made.length}`.padEnd(1000, "x")
    const { code, stderr } = await slipway(["account", "create", name], { env })
    if (code !== 0) {
      assert.strictEqual(stderr.split("\n").at(-2), `slipway: ${sentence}`)
      return made
    }
    made.push(name)
  }
}

describe.skipIf(!mayMount)("a full disk of the metadata", () => {
  it.each([
    ["SQLite", onSqlite],
    ["PostgreSQL", onPostgres]
  ] as const)(
    "on %s refuses every write with 507, loses nothing, and works again once there is room",
    async (...[, start]) => {
      const { env, host, makeRoom } = await start()
      const { key } = await newKey(env)
      // The client reports each refusal immediately.
      const client = createClient({ url: host.url, key, retries: 0 })
      const app = upload("app", 2)
      const { declaration } = upload("much to write down", 900)
      const first = await client.builds.reserve({ ...identity(0), ...app.declaration })
      await putAll(client, first.slots, app)
      const preview = await client.previews.reserve(app.declaration)
      await putAll(client, preview.slots, app)
      const ready = await client.previews.finalize(preview.token)

      const reserved: Array<string> = []
      const made = await untilFull(async (nth) => {
        reserved.push((await client.builds.reserve({ ...identity(nth + 1), ...declaration })).id)
      })
      assert.isAbove(made, 0)
      await untilFull(() => client.previews.reserve(declaration))
      const runs = await untilFull(() =>
        client.testRuns.register({
          ...repository,
          kind: "maestro",
          name: "x".repeat(1000),
          previewShareId: preview.shareId
        })
      )

      const accounts = await untilRefused(env)

      // What was answered is there, what was refused is not, and reading works.
      for (const id of reserved) assert.strictEqual((await client.builds.read(id)).status, "uploading")
      assert.strictEqual((await client.builds.latest({ ...repository, branch: "main" })).id, reserved.at(-1))
      assert.deepStrictEqual(await client.previews.read(preview.shareId), ready)
      const listed = async () => (await client.testRuns.list({ org: "acme", repo: "app", limit: 100 })).testRuns.length
      assert.strictEqual(await listed(), Math.min(runs, 100))

      assert.deepStrictEqual(namesIn(await slipwayJson(["account", "list"], { env })), accounts.toSorted())

      makeRoom()
      const again = await client.builds.reserve({ ...identity(made + 1), ...app.declaration })
      await putAll(client, again.slots, app)
      for (const { token } of [first, again]) assert.strictEqual((await client.builds.finalize(token)).status, "ready")
      assert.strictEqual(await host.stop("SIGTERM"), 0)
      assert.notInclude(await host.stderr, "ERROR")
    }
  )
})
