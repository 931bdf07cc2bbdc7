/** The recipes of examples/, and how each is run: by its own program, or by the closest runtime that npm has. */
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
import { Effect, Exit, Scope } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer, request as httpRequest, type RequestListener } from "node:http"
import { join } from "node:path"
import { buffer, json } from "node:stream/consumers"
import { build } from "esbuild"
import { listen as listenOn } from "../../adapters/postgres/testing/freePort.ts"
import { newDatabase } from "../../adapters/postgres/testing/server.ts"
import { s3Server } from "../../adapters/s3/testing/server.ts"
import { startProxy } from "./deploy.ts"

/** Listens until `after` is called. */
type After = (close: () => unknown) => void

export interface Recipe {
  /** The program that serves it in its folder. */
  readonly command: (
    bin: (name: string) => string,
    port: number
  ) => readonly [program: string, ...args: ReadonlyArray<string>]
  /** Its stores are PostgreSQL and S3, instead of a folder. */
  readonly isServerless?: boolean
  /** The folder of `examples/`, if it isn't that of the recipe's name. */
  readonly folder?: string
  /** It answers below the path of its URL only, so that no proxy removes this path. */
  readonly isMounted?: boolean
  /** Its platform sends a response when it is complete. */
  readonly isBuffered?: boolean
  /** Turns on the compression that the framework offers, which is off in the example. */
  readonly compress?: (server: string) => string
  /** The command that builds it. */
  readonly build?: ReadonlyArray<string>
  /** Adds what its platform has beside it in its folder. */
  readonly prepare?: (folder: string) => unknown
  /** Starts the platform on a port; the program gets the environment that is returned. Without it, the program listens itself. */
  readonly platform?: (port: number, after: After) => Promise<Record<string, string>>
  /** The path at which the platform runs its tasks. */
  readonly tasks?: string
  /** The path at which it makes its account and answers a key, where the command line can't reach its store. */
  readonly setUp?: string
}

const listen = async (port: number, listener: RequestListener, after: After) => {
  const server = createServer(listener)
  after(() => server.close().closeAllConnections())
  return listenOn(server, port)
}

/** A proxy for `https://…/slipway` that removes this path. Answers its port. */
export const strippingProxy = (target: number, after: After) =>
  listen(
    0,
    (request, response) => {
      const { headers, method, url = "" } = request
      const path = url.replace(/^\/slipway/, "") || "/"
      const asked = httpRequest({ port: target, host: "127.0.0.1", method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      })
      asked.on("error", () => response.destroy())
      request.pipe(asked)
    },
    after
  )

/** A runtime of Lambda as AWS documents its HTTP API: it asks for the next event, and posts the answer. */
const lambdaRuntime = `
  import { handler } from "./handler.ts"
  const api = "http://" + process.env.AWS_LAMBDA_RUNTIME_API + "/2018-06-01/runtime/invocation/"
  for (;;) {
    const next = await fetch(api + "next")
    const answer = await handler(await next.json())
    await fetch(api + next.headers.get("lambda-runtime-aws-request-id") + "/response", { method: "POST", body: JSON.stringify(answer) })
  }`

interface LambdaResponse {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly cookies: ReadonlyArray<string>
  readonly body: string
}

/** Lambda behind a function URL: every request is an event, in the payload format 2.0. `/schedule` is a schedule of EventBridge. */
const lambda = async (port: number, after: After) => {
  const events: Array<{ readonly event: object; readonly answered: (answer: LambdaResponse) => void }> = []
  const answers = new Map<string, (answer: LambdaResponse) => void>()
  const idle: Array<() => void> = []
  const invoke = (event: object) =>
    new Promise<LambdaResponse>((answered) => {
      events.push({ event, answered })
      idle.shift()?.()
    })
  await listen(
    port,
    async (request, response) => {
      const { headers, method = "", url = "" } = request
      const [path = "", query = ""] = url.split("?")
      const [, id = "", what] = /^\/2018-06-01\/runtime\/invocation\/([\w-]+)(\/response)?$/.exec(path) ?? []
      if (id === "next") {
        const give = () => {
          const { answered, event } = events.shift() ?? {}
          if (answered === undefined) return
          const next = crypto.randomUUID()
          answers.set(next, answered)
          response.setHeader("lambda-runtime-aws-request-id", next).end(JSON.stringify(event))
        }
        if (events.length > 0) return give()
        idle.push(give)
        return void response.once("close", () => idle.splice(idle.indexOf(give) >>> 0, 1))
      }
      if (what !== undefined) {
        answers.get(id)?.(Object(await json(request)))
        return void response.end()
      }
      if (path === "/schedule") return void response.end(JSON.stringify(await invoke({ source: "aws.scheduler" })))
      const { cookie, ...others } = headers
      const {
        body,
        cookies,
        headers: answered,
        statusCode
      } = await invoke({
        rawPath: path,
        rawQueryString: query,
        headers: others,
        cookies: cookie?.split("; "),
        body: (await buffer(request)).toString("base64") || undefined,
        isBase64Encoded: true,
        requestContext: { domainName: headers.host, http: { method, sourceIp: request.socket.remoteAddress } }
      })
      response.writeHead(statusCode, { ...answered, "set-cookie": cookies }).end(Buffer.from(body, "base64"))
    },
    after
  )
  return { AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}` }
}

/** Vercel calls the default exports of the files in `api/`, with the client's address in a header. */
const vercelRuntime = `
  import { createServer } from "node:http"
  import { nodeListener } from "slipway/hosts/http"
  import app from "./api/slipway.ts"
  import tasks from "./api/tasks.ts"
  const fetch = (request, { clientAddress }) => {
    const headers = new Headers(request.headers)
    headers.set("x-real-ip", clientAddress)
    return (request.url.endsWith("/api/tasks") ? tasks : app).fetch(new Request(request, { headers }))
  }
  createServer(nodeListener({ fetch })).listen(process.env.PORT, "127.0.0.1")`

/** The worker with what its cron trigger does at `/cron`, and with an account. Cloudflare sets the header of the address. */
const bundledWorker = async (folder: string) => {
  writeFileSync(
    join(folder, "tried.ts"),
    `import worker, { SlipwayObject } from "./worker.ts"
     import { Administration } from "slipway/core"
     export class Tried extends SlipwayObject {
       async setUp() {
         const admin = (use) => this.slipway.run(Administration.use(use))
         await admin((all) => all.createAccount({ name: "acme" }))
         await admin((all) => all.linkRepository({ account: "acme", owner: "acme", repo: "app" }))
         return (await admin((all) => all.createKey({ account: "acme", name: "ci", scopes: ["builds"] }))).key
       }
     }
     export default {
       fetch: async (request, env) => {
         const { pathname } = new URL(request.url)
         if (pathname === "/set-up") return new Response(await env.SLIPWAY.getByName("slipway").setUp())
         if (pathname === "/cron") return Response.json(await worker.scheduled(undefined, env))
         const headers = new Headers(request.headers)
         headers.set("cf-connecting-ip", "192.0.2.1")
         return worker.fetch(new Request(request, { headers }), env)
       }
     }`
  )
  await build({
    entryPoints: [join(folder, "tried.ts")],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    conditions: ["workerd"],
    external: ["node:*", "cloudflare:*"],
    // For the packages of AWS, which are in CommonJS.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("/")' },
    logLevel: "error"
  })
  const texts = {
    SLIPWAY_URL: "SLIPWAY_URL",
    SLIPWAY_SECRET: "SLIPWAY_SECRET",
    S3_BUCKET: "SLIPWAY_S3_BUCKET",
    S3_ENDPOINT: "AWS_ENDPOINT_URL_S3",
    S3_KEY_ID: "AWS_ACCESS_KEY_ID",
    S3_KEY: "AWS_SECRET_ACCESS_KEY"
  }
  mkdirSync(join(folder, "storage"))
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [
         (name = "main", worker = .slipway),
         (name = "internet", network = (allow = ["public", "private"])),
         (name = "disk", disk = (path = "storage", writable = true))
       ],
       sockets = [(name = "http", http = (), service = "main")]
     );
     const slipway :Workerd.Worker = (
       modules = [(name = "worker", esModule = embed "worker.js")],
       compatibilityDate = "2026-01-01",
       compatibilityFlags = ["nodejs_compat"],
       durableObjectNamespaces = [(className = "Tried", uniqueKey = "slipway", enableSql = true)],
       durableObjectStorage = (localDisk = "disk"),
       bindings = [
         (name = "SLIPWAY", durableObjectNamespace = "Tried"),
         ${Object.entries(texts)
           .map(([name, from]) => `(name = "${name}", fromEnvironment = "${from}")`)
           .join()}
       ]
     );`
  )
}

const adding = (file: string, content: string) => (folder: string) => writeFileSync(join(folder, file), content)

/** Imports a middleware, and mounts it in the line after the app is made. */
const mounting = (imported: string, made: RegExp, mounted: string) => (server: string) =>
  `${imported}\n${server.replace(made, `$&\n${mounted}`)}`

const compression = 'import compression from "compression"'
const ofExpress = mounting(compression, /^const app = express\(\)$/m, "app.use(compression({ threshold: 0 }))")
const node: Recipe = { command: () => [process.execPath, "server.ts"] }
/** Deno and Next compress by themselves, also event streams that don't refuse it. Bun and the platforms of functions don't. */
export const recipes: Readonly<Record<string, Recipe>> = {
  express: { ...node, compress: ofExpress },
  express4: {
    ...node,
    folder: "express",
    compress: (server) => ofExpress(server).replace('from "express"', 'from "express4"')
  },
  nest: {
    ...node,
    isMounted: true,
    compress: mounting(compression, /^const app = .*$/m, "app.use(compression({ threshold: 0 }))")
  },
  koa: {
    ...node,
    compress: mounting(
      'import compress from "koa-compress"',
      /^const app = .*$/m,
      "app.use(compress({ threshold: 0 }))"
    )
  },
  fastify: {
    ...node,
    compress: mounting(
      'import compress from "@fastify/compress"',
      /^const app = .*$/m,
      "await app.register(compress, { threshold: 0 })"
    )
  },
  hono: {
    ...node,
    compress: mounting(
      'import { compress } from "hono/compress"',
      /^const app = .*$/m,
      "app.use(compress({ threshold: 0 }))"
    )
  },
  bun: { command: (bin) => [bin("bun"), "server.ts"] },
  deno: { command: (bin) => [bin("deno"), "run", "--allow-all", "server.ts"] },
  next: {
    command: (bin) => [process.execPath, bin("next"), "start", "--hostname", "127.0.0.1"],
    build: ["next", "build"]
  },
  lambda: {
    command: () => [process.execPath, "runtime.mjs"],
    isServerless: true,
    isBuffered: true,
    prepare: adding("runtime.mjs", lambdaRuntime),
    platform: lambda,
    tasks: "/schedule"
  },
  vercel: {
    command: () => [process.execPath, "runtime.mjs"],
    isServerless: true,
    prepare: adding("runtime.mjs", vercelRuntime),
    tasks: "/api/tasks"
  },
  workers: {
    command: (bin, port) => [bin("workerd"), "serve", `--socket-addr=http=127.0.0.1:${port}`, "config.capnp"],
    isServerless: true,
    prepare: bundledWorker,
    tasks: "/cron",
    setUp: "/set-up"
  }
}

/** The environment that names a new database of PostgreSQL and a new bucket of S3, behind the proxy that Ceph 16 needs. */
export const newServers = async (after: After): Promise<Record<string, string>> => {
  const scope = Scope.makeUnsafe()
  after(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const DATABASE_URL = await Effect.runPromise(Scope.provide(newDatabase, scope))
  const { accessKeyId, endpoint, region, secretAccessKey } = await s3Server()
  const SLIPWAY_S3_BUCKET = `recipe-${crypto.randomUUID()}`
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
  await client.send(new CreateBucketCommand({ Bucket: SLIPWAY_S3_BUCKET }))
  client.destroy()
  return {
    DATABASE_URL,
    SLIPWAY_S3_BUCKET,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: region,
    AWS_ENDPOINT_URL_S3: await startProxy("s3", "caddy", endpoint, { after }),
    CRON_SECRET: "called by the platform"
  }
}
