import { defaults, unlinkedRepository } from "../config/Config.ts"
import { Readable } from "node:stream"
import { gunzipSync } from "node:zlib"
import { Context, Duration, Effect, Layer, Redacted, type Scope } from "effect"
import * as memory from "../../adapters/memory/index.ts"
import type { Scope as KeyScope } from "../../core/model/ApiKey.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Settings, type SettingsShape } from "../../core/service/Settings.ts"
import type { Engines } from "../../hosts/node/engines/engines.ts"
import { layerServer } from "../../hosts/node/server.ts"
import { testDefaults, type Target } from "./example.ts"

export type { Target } from "./example.ts"
import { makeSlipway } from "../../hosts/http/slipway.ts"
import { decoded, read, toResponse, Transport, type Outgoing } from "../session/transport.ts"
import {
  attempt,
  type HttpResponse,
  type Ask,
  type FairAccount,
  type FairHost,
  type FairOptions,
  type Listen,
  type Start
} from "../fair/FairHost.ts"
import { checks } from "../checks/index.ts"
import type { Check } from "../checks/steps.ts"
import { plan } from "../run/plan.ts"
import type { Expectation } from "../run/judge.ts"
import { run, type RunOptions } from "../run/run.ts"

/** Everything in memory. */
const inMemory: Engines<unknown> = {
  metadata: "memory",
  objects: "memory",
  ports: memory.layer,
  routes: memory.routes
}

const scopes = {
  all: ["builds", "preview_upload", "test_runs", "delete"],
  builds: ["builds"],
  previewUpload: ["preview_upload"],
  testRuns: ["test_runs"],
  withoutBuilds: ["preview_upload", "test_runs"],
  withoutPreviewUpload: ["builds", "test_runs"],
  withoutTestRuns: ["builds", "preview_upload"]
} as const satisfies Record<string, readonly [KeyScope, ...ReadonlyArray<KeyScope>]>

/** An account with a linked repository and a key of each scope. */
const account = Effect.fnUntraced(function* (admin: Administration["Service"], name: string) {
  yield* admin.createAccount({ name })
  const linked = { owner: name, repo: "harbour" }
  const second = { owner: name, repo: "lighthouse" }
  for (const repository of [linked, second]) yield* admin.linkRepository({ account: name, ...repository })
  const key = (one: keyof typeof scopes) =>
    Effect.map(admin.createKey({ account: name, name: one, scopes: scopes[one] }), ({ key }) => Redacted.make(key))
  const keys = yield* Effect.all({
    all: key("all"),
    builds: key("builds"),
    previewUpload: key("previewUpload"),
    testRuns: key("testRuns"),
    withoutBuilds: key("withoutBuilds"),
    withoutPreviewUpload: key("withoutPreviewUpload"),
    withoutTestRuns: key("withoutTestRuns")
  })
  return { linked, second, keys }
})

/** Creates two accounts on a host. Returns the config of a run against it. */
const targetOf = Effect.gen(function* () {
  const admin = yield* Administration
  const { url } = yield* Settings
  const [a, b] = [yield* account(admin, "north"), yield* account(admin, "south")]
  return {
    config: {
      ...testDefaults,
      url,
      accounts: {
        a: { linked: a.linked, second: a.second, unlinked: unlinkedRepository },
        b: { linked: b.linked, unlinked: unlinkedRepository }
      },
      pairsOfScopes: true,
      scopedKeysOfB: true
    },
    keys: { a: a.keys, b: b.keys }
  } satisfies Target
})

/** A host of the reference service in this process, on memory unless other engines are given, until the scope closes. */
export const referenceHost = (
  options: { readonly engines?: Engines<unknown>; readonly settings?: Partial<SettingsShape> } = {}
): Effect.Effect<Target, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const services = yield* Layer.build(
      layerServer({
        engines: options.engines ?? inMemory,
        secret: Redacted.make("secret of a conformance test"),
        host: "127.0.0.1",
        port: 0,
        settings: options.settings ?? {},
        shutdownTimeout: Duration.seconds(1)
      })
    )
    return yield* Effect.provide(targetOf, Context.pick(Administration, Settings)(services))
  })

/** Its base URL; no request leaves the process. */
const url = "http://reference.example"

/** Without a socket, nothing arrives of a request that is ended early. */
const isCut = ({ manner }: Outgoing): boolean => manner?.socket === "aborted" || manner?.socket === "short"
const cut = toResponse(0, {}, "")

const requestOf = ({ body, headers, method, url }: Outgoing): Request => {
  // A copy has a buffer of its own, which is what a Request wants.
  const sent = body === undefined || typeof body === "string" ? body : new Uint8Array(body)
  return new Request(url, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
}

/**
 * The reference service on memory, in this process without a socket: the config of a run against it, and its transport.
 * It stops when the scope closes.
 */
export const inProcess: Effect.Effect<
  { readonly target: Target; readonly transport: Transport["Service"] },
  never,
  Scope.Scope
> = Effect.gen(function* () {
  const engines = memory.engines({ url, secret: Redacted.make("secret of a conformance test") })
  const slipway = yield* Effect.acquireRelease(
    Effect.sync(() => makeSlipway({ settings: { url }, ...engines })),
    ({ dispose }) => Effect.promise(dispose)
  )
  const target = yield* Effect.promise(() => slipway.run(Effect.provide(targetOf, Settings.layer({ url }))))
  const send = (request: Outgoing) =>
    Effect.promise(async () => {
      if (isCut(request)) return cut
      const response = await slipway.fetch(requestOf(request))
      const body = Readable.from([Buffer.from(await response.arrayBuffer())])
      const text = await read(decoded(body, response.headers.get("content-encoding")))
      return toResponse(response.status, Object.fromEntries(response.headers), request.method === "HEAD" ? "" : text)
    })
  return { target, transport: Transport.of({ send }) }
})

const keysOf = ({ keys }: FairAccount) =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, Redacted.make(key)]))

/** The config of a run against a fair host. */
export const fairTarget = ({ accounts: { a, b }, bindings, consistencyWindowMs, url }: FairHost): Target => ({
  config: {
    ...testDefaults,
    url,
    accounts: {
      a: { linked: a.linked, second: a.second, unlinked: a.unlinked },
      b: { linked: b.linked, unlinked: b.unlinked }
    },
    pairsOfScopes: true,
    scopedKeysOfB: true,
    windowMs: consistencyWindowMs,
    // Each check waits for the consistency window, so many run concurrently.
    concurrency: consistencyWindowMs > 0 ? 32 : defaults.concurrency,
    bindings
  },
  keys: { a: keysOf(a), b: keysOf(b) }
})

/** A request as a server would read it. */
const received = ({ body = "", headers, method, url }: Outgoing): Ask => {
  const { pathname, searchParams } = new URL(url)
  const bytes = Buffer.from(body)
  const length = { "content-length": String(bytes.length) }
  return { method, path: pathname, query: searchParams, headers: { ...headers, ...length }, body: bytes }
}

/** A clock that advances by ten milliseconds at each read, so that no request exceeds a rate limit. */
const hurrying = () => {
  let now = Date.now()
  return () => (now += 10)
}

const month = 30 * 24 * 3_600_000

/** A fair host in this process without a socket: the config of a run against it, and its transport. */
export const fairInProcess = Effect.fnUntraced(function* (start: Start, options: FairOptions = {}) {
  const origins = new Map<string, (ask: Ask) => HttpResponse>()
  const listen: Listen = () => {
    const url = `http://origin-${origins.size}.example`
    const answer = (handle: (ask: Ask) => HttpResponse) => void origins.set(url, handle)
    answer(() => ({ status: 503 }))
    return Promise.resolve({ url, answer, stop: () => Promise.resolve() })
  }
  const lives = { tokenMs: month, putUrlMs: month }
  const host = yield* Effect.promise(() => start({ now: hurrying(), lives, listen, ...options }))
  const send = (request: Outgoing) =>
    Effect.promise(async () => {
      if (isCut(request)) return cut
      const handle = origins.get(new URL(request.url).origin)
      // As over a network, another request may be sent before this one is answered.
      await Promise.resolve()
      const { body = "", headers = {}, status } = attempt(() => handle?.(received(request)) ?? { status: 502 })
      const isGzip = headers["content-encoding"] === "gzip"
      return toResponse(status, headers, String(isGzip ? gunzipSync(Buffer.from(body)) : body))
    })
  return { target: fairTarget(host), transport: Transport.of({ send }) }
})

/** Runs the suite, or other checks, against a target as the command does, over HTTP unless another way is given. For tests. */
export const runTarget = Effect.fnUntraced(function* (
  target: Target,
  options: {
    readonly checks?: ReadonlyArray<Check>
    readonly only?: ReadonlyArray<string>
    readonly expectations?: ReadonlyArray<Expectation>
    readonly runId?: string
    readonly transport?: Transport["Service"]
    readonly signal?: AbortSignal
    readonly onProgress?: RunOptions["onProgress"]
  } = {}
) {
  const { expectations = [], only = [], runId = "0123456789ab", signal, transport } = options
  const selection = { profiles: target.config.profiles, only, readOnly: false }
  return yield* run({
    id: runId,
    ...target,
    plan: yield* plan(options.checks ?? checks, selection),
    expectations,
    onProgress: options.onProgress ?? (() => Effect.void),
    ...(signal === undefined ? {} : { signal })
  }).pipe(Effect.provide(transport === undefined ? Transport.layer : Layer.succeed(Transport, transport)))
})
