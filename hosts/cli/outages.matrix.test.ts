/** An engine is unavailable under load: the host answers 503 meanwhile, and works again afterwards. */
import { assert, describe, it, onTestFinished } from "vitest"
import { startPostgres } from "../../adapters/postgres/testing/server.ts"
import { isCephInstalled, startCeph } from "../../adapters/s3/testing/startCeph.ts"
import { createClient } from "../client/index.ts"
import { newKey, startHost, type Host } from "./testing/deployment.ts"
import { bucketSettings, databaseUrl, secret } from "./testing/stores.ts"
import { identity, putAll, repository, upload } from "./testing/flow.ts"
import { ask, startLoad, type Asked, type Seen } from "./testing/load.ts"
import { temporaryFolder } from "./testing/slipway.ts"

/** How many answers each client gets during an outage: it lasts for long enough that every pooled connection has failed. */
const answersWhileAway = 300

interface Engine {
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

const isAway = ({ status }: Seen) => status === 503

/**
 * Stops the engine while all these clients send requests, and returns the answers each got. Each has
 * to be answered as usual before the outage, with 503 during it, and as usual after it.
 */
const throughOutage = async (engine: Engine, asked: ReadonlyArray<Asked>) => {
  const load = startLoad(asked, 4)
  const usual = (seen: Seen) => !isAway(seen)
  await load.until(usual, 20)
  await engine.stop()
  await load.until(isAway, answersWhileAway)
  await engine.start()
  await load.until(usual, 20)
  return load.stop()
}

/**
 * What every answer during an outage has to be: one of the expected statuses, and with `Retry-After` if it is a 503.
 */
const holds = (name: string, seen: ReadonlyArray<Seen>, usual: number) => {
  assert.isTrue(seen.some(isAway), name)
  for (const one of seen) {
    assert.include([usual, 503], one.status, `${name}: ${JSON.stringify(one.body)}`)
    if (!isAway(one)) continue
    assert.match(one.retryAfter ?? "", /^\d+$/, name)
    assert.strictEqual(Reflect.get(Object(one.body), "code"), "unavailable", name)
  }
}

const alive = async (host: Host) => {
  assert.isNull(host.child.exitCode)
  assert.strictEqual((await fetch(`${host.url}/healthz`)).status, 200)
}

describe("PostgreSQL, away under load", () => {
  it("every request is answered 503 with Retry-After during the outage, and as usual afterwards, by the same process", async () => {
    const postgres = await startPostgres()
    onTestFinished(postgres.remove)
    const env = { ...secret, DATABASE_URL: postgres.url, SLIPWAY_DATA: temporaryFolder() }
    const host = await startHost(env)
    const { key } = await newKey(env)
    const client = createClient({ url: host.url, key, retries: 0 })
    const app = upload("app", 1)
    const build = await client.builds.reserve({ ...identity(1), ...app.declaration })
    await putAll(client, build.slots, app)
    const api = `${host.url}/api/v1`
    let commit = 1

    const seen = await throughOutage(postgres, [
      { name: "ready", ask: () => ask(`${host.url}/readyz`, key) },
      { name: "read", ask: () => ask(`${api}/builds/${build.id}`, key) },
      { name: "latest", ask: () => ask(`${api}/builds?owner=acme&repo=app&branch=main`, key) },
      { name: "list", ask: () => ask(`${api}/test-runs?org=acme&repo=app`, key) },
      {
        name: "reserve",
        ask: () => ask(`${api}/builds`, key, { ...identity(++commit), ...app.declaration })
      },
      {
        name: "finalize",
        ask: () => ask(`${api}/builds`, key, { operation: "finalize", token: build.token })
      }
    ])
    for (const [name, all] of seen) holds(name, all, ["reserve", "finalize"].includes(name) ? 201 : 200)
    await alive(host)
    assert.strictEqual((await client.builds.read(build.id)).status, "ready")
    assert.strictEqual((await client.builds.latest({ ...repository, branch: "main" })).status, "uploading")
  })
})

describe.skipIf(!(await isCephInstalled()))("the object store, away under load", () => {
  it("requests that need it are answered 503 with Retry-After during the outage, and as usual afterwards, by the same process", async () => {
    const ceph = await startCeph()
    onTestFinished(ceph.remove)
    const env = { ...secret, ...bucketSettings(ceph), DATABASE_URL: await databaseUrl() }
    const host = await startHost(env)
    const { key } = await newKey(env)
    const client = createClient({ url: host.url, key, retries: 0 })
    const app = upload("app", 1)
    const preview = await client.previews.reserve(app.declaration)
    await putAll(client, preview.slots, app)
    const hosted = await client.previews.finalize(preview.token)
    const missing = await client.previews.reserve(upload("never put", 1).declaration)
    const api = `${host.url}/api/v1`
    let commit = 0

    const seen = await throughOutage(ceph, [
      { name: "ready", ask: () => ask(`${host.url}/readyz`, key) },
      { name: "bytes", ask: () => ask(hosted.bundle.url ?? "", key) },
      // Nothing was PUT, so the finalize never completes and asks the store each time.
      { name: "incomplete", ask: () => ask(`${api}/previews/finalize`, key, { token: missing.token }) },
      {
        name: "finalize",
        ask: async () => {
          const order = { ...identity(++commit), ...app.declaration }
          const { slots, token } = await client.builds.reserve(order)
          await putAll(client, slots, app).catch(() => undefined)
          return ask(`${api}/builds`, key, { operation: "finalize", token })
        }
      }
    ])
    const usual: Readonly<Record<string, number>> = { incomplete: 409 }
    for (const [name, all] of seen) {
      if (name !== "finalize") holds(name, all, usual[name] ?? 200)
    }
    // A finalize whose bytes could not be PUT may run after the outage, and then reports the missing objects.
    const finalized = seen.get("finalize") ?? []
    for (const { status } of finalized) assert.include([201, 409, 503], status)
    assert.strictEqual(finalized.at(-1)?.status, 201)
    await alive(host)
  })
})
