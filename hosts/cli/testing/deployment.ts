/** Several hosts behind a load balancer, each in its own process, and an account on them. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { createServer, type IncomingMessage, request as send } from "node:http"
import { buffer } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { onTestFinished } from "vitest"
import { freePort, listen } from "../../../adapters/postgres/testing/freePort.ts"
import { newDatabase } from "../../../adapters/postgres/testing/server.ts"
import { s3Server, type S3Server } from "../../../adapters/s3/testing/server.ts"
import { type EngineSet, engineSets } from "../../http/testing/engineSets.ts"
import { type HostHere, type RunningHost, serve, serveHere, slipwayJson, temporaryFolder } from "./slipway.ts"

/** Runs a command that must succeed, and returns the JSON it printed. */
export const runJson = (env: Record<string, string>, ...args: ReadonlyArray<string>): Promise<unknown> =>
  slipwayJson(args, { env })

const Issued = Schema.Struct({ id: Schema.String, key: Schema.String })

/** A key with all scopes, of a new account with the repository `acme/app`, made by the command line. */
export const newKey = async (env: Record<string, string>): Promise<typeof Issued.Type> => {
  await runJson(env, "account", "create", "acme")
  await runJson(env, "repo", "link", "acme/app", "--account", "acme")
  const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
  return Schema.decodeUnknownSync(Issued)(
    await runJson(env, "key", "create", "--account", "acme", "--name", "ci", ...scopes)
  )
}

export interface Host extends RunningHost {
  /** The URL it listens on. Its public URL is another one if it runs behind a balancer. */
  readonly url: string
  /** The engines that it printed. */
  readonly engines: string
}

const Listening = Schema.fromJsonString(
  Schema.Struct({ engines: Schema.Struct({ metadata: Schema.String, objects: Schema.String }) })
)

/** Starts a host on a free port, and under a command where one is given. */
export const startHost = async (
  env: Record<string, string>,
  cwd = temporaryFolder(),
  under: ReadonlyArray<string> = []
): Promise<Host> => {
  const port = await freePort()
  const host = await serve(["--json", "--port", String(port)], { env, cwd, under })
  const { metadata, objects } = Schema.decodeSync(Listening)(host.line).engines
  return { ...host, url: `http://127.0.0.1:${port}`, engines: `${metadata} and ${objects}` }
}

/** Starts a host in the process of the test, and returns its URL. */
export const startHere = async (env: Record<string, string>): Promise<HostHere & { readonly url: string }> => {
  const host = await serveHere(["--port", "0"], { env })
  return { ...host, url: host.line.split(" ").at(-1) ?? "" }
}

/** Hosts that were started at the same time, behind a balancer whose URL is their public URL. */
export interface Deployment {
  readonly balancer: Balancer
  readonly hosts: ReadonlyArray<Host>
}

/** Starts this many hosts with the same settings. */
export const startHosts = async (count: number, env: Record<string, string>): Promise<Deployment> => {
  const balancer = await startBalancer()
  const settings = { ...env, SLIPWAY_URL: balancer.url }
  const hosts = await Promise.all(Array.from({ length: count }, () => startHost(settings)))
  balancer.serve(hosts.map(({ url }) => url))
  return { balancer, hosts }
}

// A proxy before one or several servers, for tests that watch requests or decide where they go.

/** The answer of a server; `undefined` if nothing listens there. Rejects if the server disappears before it answers. */
const ask = (target: string, { headers, method, url }: IncomingMessage, body: Buffer) =>
  new Promise<IncomingMessage | undefined>((resolve, reject) => {
    const asked = send(new URL(url ?? "/", target), { method: method ?? "GET", headers })
    asked.once("response", resolve)
    asked.once("error", (error) =>
      "code" in error && error.code === "ECONNREFUSED" ? resolve(undefined) : reject(error)
    )
    asked.end(body)
  })

/**
 * Starts a proxy and returns its URL; it is closed at the end of the test. For each request, `route` returns the
 * servers to try in order. The first that listens gets the request with its original headers. If none listens, or the
 * server disappears before it answers, the client gets 502.
 */
export const startProxy = async (route: (request: IncomingMessage) => ReadonlyArray<string>): Promise<string> => {
  const server = createServer((request, response) => {
    const forward = async () => {
      const body = await buffer(request)
      for (const target of route(request)) {
        const answer = await ask(target, request, body)
        if (answer === undefined) continue
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        return pipeline(answer, response)
      }
      response.writeHead(502).end()
    }
    forward().catch(() => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${await listen(server)}`
}

/** Sends each request to the next of its hosts. */
interface Balancer {
  readonly url: string
  /** Replaces the hosts that get the requests. */
  readonly serve: (hosts: ReadonlyArray<string>) => void
  /** The requests that each host got, in order, as `METHOD path`. */
  readonly sent: ReadonlyArray<{ readonly host: string; readonly what: string }>
}

/** Starts a load balancer, as one stands before several hosts. */
export const startBalancer = async (): Promise<Balancer> => {
  let hosts: ReadonlyArray<string> = []
  const sent: Array<{ readonly host: string; readonly what: string }> = []
  const url = await startProxy(({ method, url }) => {
    const turn = sent.length % Math.max(hosts.length, 1)
    const inTurn = [...hosts.slice(turn), ...hosts.slice(0, turn)]
    sent.push({ host: inTurn[0] ?? "", what: `${method} ${url}` })
    return inTurn
  })
  return {
    url,
    sent,
    serve: (next) => {
      hosts = next
    }
  }
}

// New databases and bucket prefixes for tests, as the settings that name them.

/** The secret of every host in these tests. */
export const secret = { SLIPWAY_SECRET: "the same on every host of a test" }

/** A new and empty database, dropped when the test is over. */
export const databaseUrl = async (): Promise<string> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(Scope.provide(newDatabase, scope))
}

/** The settings of new, empty stores, for tests that work on any engines: those that open fastest. */
export const anyStores = (): Record<string, string> => ({ ...secret, SLIPWAY_DATA: temporaryFolder() })

/** The settings of a new and empty database, which hosts and commands share. */
export const sharedStores = async (): Promise<Record<string, string>> => ({
  ...anyStores(),
  DATABASE_URL: await databaseUrl()
})

/** The settings of a bucket, below a new prefix. Uploads go through the host: it would refuse to give clients URLs of Ceph 16. */
export const bucketSettings = (server: S3Server): Record<string, string> => ({
  SLIPWAY_S3_BUCKET: server.bucket,
  SLIPWAY_S3_ENDPOINT: server.endpoint,
  SLIPWAY_S3_REGION: server.region,
  SLIPWAY_S3_PREFIX: `${crypto.randomUUID()}/`,
  SLIPWAY_S3_UPLOADS: "host",
  AWS_ACCESS_KEY_ID: server.accessKeyId,
  AWS_SECRET_ACCESS_KEY: server.secretAccessKey
})

/** The settings of one deployment on PostgreSQL and S3, new and empty. */
export const production = async (): Promise<Record<string, string>> => ({
  ...secret,
  ...bucketSettings(await s3Server()),
  DATABASE_URL: await databaseUrl()
})

/** Runs a statement on a database and returns its rows. */
export const runSql = (url: string, statement: string): Promise<ReadonlyArray<unknown>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.runPromise
  )

/** The settings, with the user and password in the database URL replaced. */
export const as = (url: string, user: string, password: string): string => {
  const changed = new URL(url)
  changed.username = user
  changed.password = password
  return changed.href
}

// The ways in which a command reaches the accounts. The fast ones run in `npm test`, the others among the slow tests.

interface Way {
  readonly through: string
  /** Whether a host runs on the same stores while the commands run. */
  readonly isHostRunning: boolean
  /** The settings of the commands and the host, on new, empty stores. */
  readonly env: () => Promise<Record<string, string>>
  /** The viewer URL that the commands print, for a host at this URL. */
  readonly viewer: (host: string) => string
}

const viewer = "https://viewer.example"

const all: Readonly<Record<EngineSet, ReadonlyArray<Way>>> = {
  quick: [
    {
      through: "a running host, which knows where it is",
      isHostRunning: true,
      env: async () => ({ SLIPWAY_DATA: temporaryFolder() }),
      viewer: (host) => host
    }
  ],
  slow: [
    {
      through: "a database server",
      isHostRunning: true,
      env: sharedStores,
      viewer: () => "http://127.0.0.1:8787"
    },
    {
      through: "the engines themselves",
      isHostRunning: false,
      env: async () => ({ SLIPWAY_DATA: temporaryFolder(), SLIPWAY_VIEWER_URL: viewer }),
      viewer: () => viewer
    }
  ]
}

export const ways = (): ReadonlyArray<Way> => engineSets().flatMap((set) => all[set])

/** New stores for this way, with a host where one runs on them, and what answers a command as JSON. */
export const startThrough = async ({ env: settings, isHostRunning }: Way) => {
  const env = await settings()
  if (isHostRunning) await startHere(env)
  return { env, json: (...args: ReadonlyArray<string>) => slipwayJson(args, { env }) }
}
