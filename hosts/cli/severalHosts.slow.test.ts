/** Several hosts share a PostgreSQL and a bucket or folder: every host gives the same answers. */
import { Effect, Layer, Redacted } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { layerMetadata } from "../../adapters/memory/index.ts"
import { throughHost } from "../../adapters/s3/index.ts"
import { hasS3, s3Server } from "../../adapters/s3/testing/server.ts"
import { Administration } from "../../core/service/Administration.ts"
import { createClient } from "../client/index.ts"
import { makeSlipway } from "../http/index.ts"
import {
  bucketSettings,
  databaseUrl,
  type Deployment,
  newKey,
  production,
  runJson,
  runSql,
  secret,
  startHost,
  startHosts
} from "./testing/deployment.ts"
import { identity, previewHosts, putAll, upload, wholeFlow } from "./testing/flow.ts"
import { slipwayWith, temporaryFolder } from "./testing/slipway.ts"

/** Runs the whole flow with its requests sent to the hosts in turn. */
const inTurn = async ({ balancer, hosts }: Deployment, key: string) => {
  await wholeFlow(balancer.url, key)
  for (const { url } of hosts) assert.isAbove(balancer.sent.filter(({ host }) => host === url).length, 4)
}

describe.skipIf(!hasS3)("hosts on one PostgreSQL and one bucket", () => {
  for (const count of [2, 3]) {
    it(`${count} that start at once on an empty database serve the whole flow in turn`, async () => {
      const env = await production()
      const deployment = await startHosts(count, env)
      for (const { engines } of deployment.hosts) assert.strictEqual(engines, "PostgreSQL and S3")
      await inTurn(deployment, (await newKey(env)).key)
    })
  }

  it("one finalizes what another reserved, and all of them show the same", async () => {
    const env = await production()
    const { balancer, hosts } = await startHosts(3, env)
    const { key } = await newKey(env)
    const clients = hosts.map(({ url }) => createClient({ url, key }))
    for (const [index, reserving] of clients.entries()) {
      const finalizing = clients[(index + 1) % clients.length] ?? reserving
      const app = upload(`app ${index}`, 1)
      const build = await reserving.builds.reserve({ ...identity(index), ...app.declaration })
      await putAll(reserving, build.slots, app)
      const ready = await finalizing.builds.finalize(build.token)
      for (const client of clients) assert.deepStrictEqual(await client.builds.read(ready.id), ready)

      const preview = await reserving.previews.reserve(app.declaration)
      await putAll(finalizing, preview.slots, app)
      const hosted = await finalizing.previews.finalize(preview.token)
      for (const client of clients) assert.deepStrictEqual(await client.previews.read(preview.shareId), hosted)
      await previewHosts(hosted, app, key)
    }
    assert.isNotEmpty(balancer.sent)
  })

  it("the command line connects to the database itself, and every host respects a new or revoked key from its next request on", async () => {
    const env = await production()
    const { hosts } = await startHosts(2, env)
    const { id, key } = await newKey(env)
    const statuses = (key: string) =>
      Promise.all(
        hosts.map(
          async ({ url }) =>
            (await fetch(`${url}/api/v1/builds/x`, { headers: { authorization: `Bearer ${key}` } })).status
        )
      )
    assert.deepStrictEqual(await statuses(key), [404, 404])
    const rotated = await runJson(env, "key", "rotate", id, "--overlap", "1h")
    assert.deepStrictEqual(await statuses(String(Reflect.get(Object(rotated), "key"))), [404, 404])
    await runJson(env, "key", "revoke", id)
    assert.deepStrictEqual(await statuses(key), [401, 401])
    // The database can also be named by the flag.
    const { DATABASE_URL = "", ...others } = env
    const accounts = await runJson(others, "account", "list", "--database-url", DATABASE_URL)
    assert.strictEqual(Array.isArray(accounts) && accounts.length, 1)
  })

  it("need no data folder", async () => {
    const [env, cwd] = [await production(), temporaryFolder()]
    const host = await startHost(env, cwd)
    assert.strictEqual((await fetch(`${host.url}/readyz`)).status, 200)
    assert.strictEqual(await host.stop("SIGTERM"), 0)
    assert.isFalse(existsSync(join(cwd, ".slipway")))
  })
})

describe("hosts on one PostgreSQL and one folder of objects", () => {
  it("open no more database connections than the setting allows", async () => {
    const env = { ...secret, DATABASE_URL: await databaseUrl(), SLIPWAY_DATA: temporaryFolder() }
    const { url } = await startHost({ ...env, SLIPWAY_DATABASE_CONNECTIONS: "2" })
    const { key } = await newKey(env)
    const read = () => fetch(`${url}/api/v1/builds/x`, { headers: { authorization: `Bearer ${key}` } })
    const answers = await Promise.all(Array.from({ length: 100 }, read))
    for (const { status } of answers) assert.strictEqual(status, 404)
    const open = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'slipway'"
    // A single connection is enough when answers come as fast as requests.
    assert.isAtMost((await runSql(env.DATABASE_URL, open)).length, 2)
  })

  it("serve the whole flow in turn, including PUTs and downloads", async () => {
    const env = { ...secret, DATABASE_URL: await databaseUrl(), SLIPWAY_DATA: temporaryFolder() }
    const deployment = await startHosts(2, env)
    for (const { engines } of deployment.hosts) assert.strictEqual(engines, "PostgreSQL and filesystem")
    await inTurn(deployment, (await newKey(env)).key)
    assert.isFalse(existsSync(join(env.SLIPWAY_DATA, "admin.sock")))
  })
})

describe.skipIf(!hasS3)("a host on SQLite and a bucket", () => {
  it("serves the whole flow, keeps its secret, and accepts commands", async () => {
    const env = { ...bucketSettings(await s3Server()), SLIPWAY_DATA: temporaryFolder() }
    const deployment = await startHosts(1, env)
    assert.strictEqual(deployment.hosts[0]?.engines, "SQLite and S3")
    await inTurn(deployment, (await newKey(env)).key)
    assert.isTrue(existsSync(join(env.SLIPWAY_DATA, "secret")))
    const second = await slipwayWith(["serve", "--port", "0"], env)
    assert.include(second.stderr, "is in use by another process")
  })
})

describe.skipIf(!hasS3)("an embedder with a bucket", () => {
  it("gets the uploads, and no client gets the address of the bucket", async () => {
    const url = "http://127.0.0.1:1"
    const { accessKeyId, secretAccessKey, ...place } = await s3Server()
    const credentials = { accessKeyId: Redacted.make(accessKeyId), secretAccessKey: Redacted.make(secretAccessKey) }
    const bucket = { ...place, prefix: `${crypto.randomUUID()}/`, forcePathStyle: true, credentials }
    const { ports, routes } = throughHost({ ...bucket, url, secret: Redacted.make("signs upload URLs") })
    const slipway = makeSlipway({ settings: { url }, ports: Layer.merge(layerMetadata, ports), routes })
    onTestFinished(() => slipway.dispose())
    const { key } = await slipway.run(
      Administration.use((admin) =>
        Effect.andThen(
          admin.createAccount({ name: "acme" }),
          admin.createKey({ account: "acme", name: "ci", scopes: ["preview_upload"] })
        )
      )
    )
    const client = createClient({ url, key, fetch: (input, init) => slipway.fetch(new Request(input, init)) })
    const app = upload("app", 1)
    const { slots, token } = await client.previews.reserve(app.declaration)
    for (const { putUrl } of [slots.bundle, ...slots.files]) assert.isTrue(putUrl.startsWith(`${url}/objects/`))
    await putAll(client, slots, app)
    assert.strictEqual((await client.previews.finalize(token)).status, "ready")
  })
})
