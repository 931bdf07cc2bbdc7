/** An engine is killed under load: the host answers 503 meanwhile, reports it, and works again afterwards. Nothing is lost. */
import { Schema } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import { startPostgres } from "../../adapters/postgres/testing/server.ts"
import { isCephInstalled, startCeph } from "../../adapters/s3/testing/startCeph.ts"
import { createClient } from "../client/index.ts"
import { isPrometheusInstalled, read, startPrometheus } from "../node/testing/prometheus.ts"
import { bucketSettings, databaseUrl, newKey, secret, startHost } from "./testing/deployment.ts"
import { assertUploads, identity, putAll, startUploads, upload } from "./testing/flow.ts"
import { temporaryFolder } from "./testing/slipway.ts"

/** How many answers each client gets during an outage: it lasts for long enough that every pooled connection has failed. */
const answersWhileAway = 300

interface Engine {
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
}

const isAway = ({ status }: Seen) => status === 503

/** The alerts of the example, with seconds for minutes. */
const quickAlerts = read("alerts.yml")
  .replaceAll(/for: \d+m/g, "for: 1s")
  .replaceAll(/\[[25]m\]/g, "[10s]")

/** A host, with its metrics and alerts in Prometheus, and a log for programs. */
const startWatched = async (env: Record<string, string>) => {
  const port = String(await freePort())
  const watched = { SLIPWAY_METRICS_PORT: port, SLIPWAY_ACCESS_LOG: "all", SLIPWAY_LOG_FORMAT: "json" }
  const host = await startHost({ ...env, ...watched, SLIPWAY_MAX_OPEN_RESERVATIONS: "1000000" })
  return {
    host,
    metrics: `http://127.0.0.1:${port}/metrics`,
    prometheus: await startPrometheus(`127.0.0.1:${port}`, quickAlerts)
  }
}
type Watched = Awaited<ReturnType<typeof startWatched>>

const Line = Schema.fromJsonString(
  Schema.Struct({ level: Schema.String, message: Schema.Unknown, status: Schema.optionalKey(Schema.Number) })
)

/**
 * Kills the engine while all these clients send requests and others upload. Each request has to be answered as usual before
 * the outage, with 503 during it, and as usual after it. The outage is in the metrics and the log, the alert fires until it is
 * over, and every acknowledged upload exists. Returns the answers.
 */
const throughOutage = async (
  { host, metrics, prometheus }: Watched,
  { alert, key, line, start, stop }: Engine & { readonly alert: string; readonly line: string; readonly key: string },
  asked: ReadonlyArray<Asked>
) => {
  const usual = (seen: Seen) => !isAway(seen)
  const client = createClient({ url: host.url, key })
  const [load, uploads] = [startLoad(asked, 4), startUploads(client)]
  await load.until(usual, 20)
  await uploads.more(20)
  assert.deepStrictEqual(await prometheus.firing(), [])
  await stop()
  await load.until(isAway, answersWhileAway)
  await prometheus.until((firing) => [alert, "SlipwayErrors"].every((name) => firing.includes(name)))
  await start()
  await load.until(usual, 20)
  await uploads.more(20)
  const [answers, acknowledged] = [await load.stop(), await uploads.stop()]
  await prometheus.until((firing) => firing.length === 0)
  await assertUploads(client, key, acknowledged)

  const text = await (await fetch(metrics)).text()
  const total = (pattern: RegExp) =>
    Array.from(text.matchAll(pattern), ([, count]) => Number(count)).reduce((a, b) => a + b, 0)
  const away = [...answers.values()].flat().filter(isAway).length
  assert.isAtLeast(total(/^slipway_http_requests_total\{.*status="503".*\} (\d+)$/gm), away)
  assert.isAbove(total(/^slipway_port_call_failures_total\{.*reason="unavailable".*\} (\d+)$/gm), 0)

  assert.isNull(host.child.exitCode)
  assert.strictEqual(await host.stop("SIGTERM"), 0)
  const lines = (await host.stderr)
    .trim()
    .split("\n")
    .map((one) => Schema.decodeSync(Line)(one))
  const logged = (level: string, pattern: string) =>
    lines.filter((one) => one.level === level && String(one.message).startsWith(pattern))
  assert.lengthOf(logged("WARN", line), 1)
  assert.lengthOf(
    logged("INFO", `The ${line.includes("database") ? "database" : "object store"} can be used again, after`),
    1
  )
  assert.lengthOf(logged("ERROR", ""), 0)
  assert.isTrue(lines.some(({ message, status }) => message === "request" && status === 503))
  return answers
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

describe.skipIf(!isPrometheusInstalled)("PostgreSQL, killed under load", () => {
  it("every request is answered 503 with Retry-After during the outage, and as usual afterwards, by the same process", async () => {
    const postgres = await startPostgres()
    onTestFinished(postgres.remove)
    const env = { ...secret, DATABASE_URL: postgres.url, SLIPWAY_DATA: temporaryFolder() }
    const watched = await startWatched(env)
    const { url } = watched.host
    const { key } = await newKey(env)
    const client = createClient({ url, key })
    const app = upload("app", 1)
    const build = await client.builds.reserve({ ...identity(1), ...app.declaration })
    await putAll(client, build.slots, app)
    const api = `${url}/api/v1`
    let commit = 1
    const postgresDies = {
      alert: "SlipwayDatabaseUnavailable",
      line: "The database can't be used",
      start: postgres.start,
      stop: postgres.crash
    }
    const seen = await throughOutage(watched, { ...postgresDies, key }, [
      { name: "ready", ask: () => ask(`${url}/readyz`, key) },
      { name: "read", ask: () => ask(`${api}/builds/${build.id}`, key) },
      { name: "latest", ask: () => ask(`${api}/builds?owner=acme&repo=app&branch=main`, key) },
      { name: "list", ask: () => ask(`${api}/test-runs?org=acme&repo=app`, key) },
      {
        name: "reserve",
        ask: () => ask(`${api}/builds`, key, { ...identity(++commit), branch: "reserved", ...app.declaration })
      },
      {
        name: "finalize",
        ask: () => ask(`${api}/builds`, key, { operation: "finalize", token: build.token })
      }
    ])
    for (const [name, all] of seen) holds(name, all, ["reserve", "finalize"].includes(name) ? 201 : 200)
  })
})

describe.skipIf(!isPrometheusInstalled || !(await isCephInstalled()))("the object store, killed under load", () => {
  it("requests that need it are answered 503 with Retry-After during the outage, and as usual afterwards, by the same process", async () => {
    const ceph = await startCeph()
    onTestFinished(ceph.remove)
    const env = { ...secret, ...bucketSettings(ceph), DATABASE_URL: await databaseUrl() }
    const watched = await startWatched(env)
    const { url } = watched.host
    const { key } = await newKey(env)
    const client = createClient({ url, key })
    const app = upload("app", 1)
    const preview = await client.previews.reserve(app.declaration)
    await putAll(client, preview.slots, app)
    const hosted = await client.previews.finalize(preview.token)
    const missing = await client.previews.reserve(upload("never put", 1).declaration)
    const storeDies = {
      alert: "SlipwayObjectStoreUnavailable",
      line: "The object store can't be reached",
      start: ceph.start,
      stop: ceph.stop
    }
    const seen = await throughOutage(watched, { ...storeDies, key }, [
      { name: "ready", ask: () => ask(`${url}/readyz`, key) },
      { name: "bytes", ask: () => ask(hosted.bundle.url ?? "", key) },
      // Nothing was PUT, so the finalize never completes and asks the store each time.
      { name: "incomplete", ask: () => ask(`${url}/api/v1/previews/finalize`, key, { token: missing.token }) }
    ])
    for (const [name, all] of seen) holds(name, all, name === "incomplete" ? 409 : 200)
  })
})

// Repeated requests, for tests of how they are answered while an engine is unavailable.

/** One answer. */
interface Seen {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

/** A request that several clients repeat, each as soon as its last one was answered. */
interface Asked {
  readonly name: string
  readonly ask: () => Promise<Seen>
}

/** Sends one request and reads its whole answer. */
const ask = async (url: string, key: string, body?: unknown): Promise<Seen> => {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text
  }
}

interface Load {
  /** Resolves when every client has had this many more answers that match. */
  readonly until: (like: (seen: Seen) => boolean, times: number) => Promise<void>
  /** Stops the load and returns the answers by name. */
  readonly stop: () => Promise<ReadonlyMap<string, ReadonlyArray<Seen>>>
}

/**
 * Starts `clients` clients for each of these requests. An exception stops the load and rejects the waiting promises.
 */
const startLoad = (all: ReadonlyArray<Asked>, clients: number): Load => {
  const seen = new Map(all.map(({ name }): [string, Array<Seen>] => [name, []]))
  const waiting = new Set<(name: string, one: Seen) => void>()
  const ended = new AbortController()
  const loops = Promise.all(
    Array.from({ length: clients }, () => all)
      .flat()
      .map(async ({ ask, name }) => {
        while (!ended.signal.aborted) {
          const one = await ask()
          seen.get(name)?.push(one)
          for (const notify of waiting) notify(name, one)
        }
      })
  )
  return {
    until: (like, times) => {
      const left = new Map(all.map(({ name }) => [name, times]))
      const met = new Promise<void>((resolve) => {
        const tell = (name: string, one: Seen) => {
          if (!like(one)) return
          const rest = (left.get(name) ?? 0) - 1
          if (rest > 0) left.set(name, rest)
          else left.delete(name)
          if (left.size > 0) return
          waiting.delete(tell)
          resolve()
        }
        waiting.add(tell)
      })
      return Promise.race([met, loops.then(() => met)])
    },
    stop: async () => {
      ended.abort()
      await loops
      return seen
    }
  }
}
