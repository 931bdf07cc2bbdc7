/**
 * A deployment is upgraded to a version that adds to the schema and changes stored rows, while clients upload, and rolled back by a
 * restore of the backup. Every acknowledged upload exists, on each version.
 */
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import { createClient } from "../client/index.ts"
import { anyStores, databaseUrl, newKey, runSql, sharedStores, startBalancer } from "./testing/deployment.ts"
import { main, serve, slipway, temporaryFolder } from "./testing/slipway.ts"
import { assertUploads, startUploads } from "./testing/flow.ts"

/** What the next version does to the schemas of both databases. */
const nextSteps = {
  "0003_notes": ["ALTER TABLE accounts ADD COLUMN note TEXT"],
  "0004_note_texts": ["UPDATE accounts SET note = 'of ' || name"]
}

/** The program of the next version: that of this one, with further steps of the schemas. */
const nextVersion = async (): Promise<string> => {
  const [program, folder] = [await main(), temporaryFolder()]
  cpSync(dirname(dirname(program)), folder, { recursive: true, verbatimSymlinks: true })
  let changed = 0
  for (const file of globSync("cli/**/*.js", { cwd: folder })) {
    const text = readFileSync(join(folder, file), "utf8")
    const next = text.replaceAll(/"0002_open_uploads":\s*\w+/g, (first) => {
      changed += 1
      return `${first},${JSON.stringify(nextSteps).slice(1, -1)}`
    })
    if (next !== text) writeFileSync(join(folder, file), next)
  }
  assert.strictEqual(changed, 2, "the schemas of SQLite and PostgreSQL")
  return join(folder, "cli/main.js")
}

/** Runs a command of this version, which must succeed, and returns its output. */
const run = async (env: Record<string, string>, ...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await slipway(args, { env })
  assert.strictEqual(code, 0, stderr + stdout)
  return stdout
}

describe("an upgrade under load", () => {
  it("on SQLite restarts the host, and an older version refuses the migrated file until a backup is restored", async () => {
    const next = { program: await nextVersion() }
    const [env, port, backup] = [anyStores(), String(await freePort()), join(temporaryFolder(), "before.tar")]
    const old = await serve(["--port", port], { env })
    const { key } = await newKey(env)
    const client = createClient({ url: `http://127.0.0.1:${port}`, key })
    const uploads = startUploads(client)
    const before = await uploads.more(20)
    await run(env, "backup", backup)
    assert.strictEqual(await old.stop("SIGTERM"), 0)
    const upgraded = await serve(["--port", port], { env, ...next })
    await uploads.more(20)
    await assertUploads(client, key, await uploads.stop())
    assert.strictEqual(await upgraded.stop("SIGTERM"), 0)

    const refused = await slipway(["serve", "--port", "0"], { env })
    assert.strictEqual(refused.code, 1)
    assert.include(refused.stderr, "a newer version of Slipway has used it (its schema has the step notes)")
    const restored = { ...env, SLIPWAY_DATA: temporaryFolder() }
    await run(restored, "restore", backup)
    await serve(["--port", port], { env: restored })
    await assertUploads(client, key, before)
  })

  it("on PostgreSQL replaces one host after the other, and both versions serve the same meanwhile", async () => {
    const next = { program: await nextVersion() }
    const [env, balancer, backup] = [await sharedStores(), await startBalancer(), join(temporaryFolder(), "before.tar")]
    const start = async (stores: Record<string, string>, place = {}) => {
      const port = String(await freePort())
      const host = await serve(["--port", port], { env: { ...stores, SLIPWAY_URL: balancer.url }, ...place })
      return { ...host, url: `http://127.0.0.1:${port}` }
    }
    const notes = () => runSql(env["DATABASE_URL"] ?? "", "SELECT name, note FROM accounts")
    const [first, second] = await Promise.all([start(env), start(env)])
    balancer.serve([first.url, second.url])
    const { key } = await newKey(env)
    const client = createClient({ url: balancer.url, key })
    const uploads = startUploads(client)
    const before = await uploads.more(20)
    await run(env, "backup", backup)

    balancer.serve([second.url])
    assert.strictEqual(await first.stop("SIGTERM"), 0)
    const upgraded = await start(env, next)
    assert.deepStrictEqual(await notes(), [{ name: "acme", note: "of acme" }])
    balancer.serve([upgraded.url, second.url])
    await uploads.more(20)
    const both = await uploads.more(0)
    for (const { url } of [upgraded, second]) await assertUploads(createClient({ url, key }), key, both)
    assert.match(await run(env, "doctor"), /newer Slipway has migrated it to step 4 \(note_texts\).*, and runs on it/)

    balancer.serve([upgraded.url])
    assert.strictEqual(await second.stop("SIGTERM"), 0)
    await uploads.more(20)
    await assertUploads(client, key, await uploads.stop())
    // A host of the older version that starts again changes nothing.
    balancer.serve([(await start(env)).url])
    await assertUploads(client, key, before)
    assert.deepStrictEqual(await notes(), [{ name: "acme", note: "of acme" }])

    const restored = { ...env, DATABASE_URL: await databaseUrl(), SLIPWAY_DATA: temporaryFolder() }
    await run(restored, "restore", backup)
    balancer.serve([(await start(restored)).url])
    await assertUploads(client, key, before)
  })
})
