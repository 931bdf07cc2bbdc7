import type { Bindings } from "../config/Config.ts"
import type { KeyName } from "../session/Exchange.ts"
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { Server, Socket } from "node:net"
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** The scopes of a key. @see docs/interface.md#5 */
type Scope = "builds" | "preview_upload" | "test_runs"

export interface Repository {
  readonly owner: string
  readonly repo: string
}

/** One account of a host, and what a run of checks needs of it. */
export interface FairAccount {
  readonly name: string
  readonly keys: Readonly<Record<Exclude<KeyName, "cleanup">, string>>
  readonly linked: Repository
  /** Linked to it as well. */
  readonly second: Repository
  /** Linked to no account. */
  readonly unlinked: Repository
}

/** How long a reservation's token and a PUT URL can be used, in milliseconds. */
interface Lives {
  readonly tokenMs: number
  readonly putUrlMs: number
}

/** A running host of the interface, and all that a run of checks against it needs to know. */
export interface FairHost {
  /** The interface's `{base_url}`. */
  readonly url: string
  readonly accounts: { readonly a: FairAccount; readonly b: FairAccount }
  /** What the interface leaves open, as in a config of the suite. */
  readonly bindings: Bindings
  /** How long a read may lag behind a write that was answered, in milliseconds. */
  readonly consistencyWindowMs: number
  readonly stop: () => Promise<void>
}

/** A clock that a test may set, how long tokens and URLs live, and where the host listens. */
export interface FairOptions {
  /** Milliseconds since the epoch; the machine's clock unless a test brings its own. */
  readonly now?: () => number
  /** Ten minutes each by default. */
  readonly lives?: Partial<Lives>
  /** Free ports of this machine by default. */
  readonly listen?: Listen
}

/** Starts a host on free ports of this machine, with everything in memory. */
export type Start = (options?: FairOptions) => Promise<FairHost>

/** The options with their defaults. */
export const settle = ({ listen: listening = listen, lives, now = Date.now }: FairOptions) => ({
  listen: listening,
  now,
  lives: { tokenMs: 600_000, putUrlMs: 600_000, ...lives } satisfies Lives
})

/** A JSON object whose members are not checked yet. */
export type Body = Readonly<Record<string, unknown>>

const isBody = (value: unknown): value is Body => typeof value === "object" && value !== null && !Array.isArray(value)

/** The value as an object; empty when it isn't one. */
export const asBody = (value: unknown): Body => (isBody(value) ? value : {})

/** The value as a list; empty when it isn't one. */
const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The value as a text; `undefined` when it isn't one or is empty. */
export const asText = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** The value as a whole number of at least 0; `undefined` when it isn't one. */
export const asCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** The JSON object in the body of a request; `undefined` when it isn't one. */
const parseBody = (bytes: Buffer): Body | undefined => {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isBody(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A request, read to its end. */
export interface Ask {
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface HttpResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A refused request. Each host answers it in its own shape. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

/** `handle`, with every Refusal answered by `refuse`. */
export const refusing =
  (handle: (ask: Ask) => HttpResponse, refuse: (refusal: Refusal, ask: Ask) => HttpResponse) =>
  (ask: Ask): HttpResponse => {
    try {
      return handle(ask)
    } catch (cause) {
      if (cause instanceof Refusal) return refuse(cause, ask)
      throw cause
    }
  }

/** A port of this machine that answers HTTP. */
interface Origin {
  /** Without a slash at its end. */
  readonly url: string
  /** Sets the handler. Call it before anybody knows the URL. */
  readonly answer: (handle: (ask: Ask) => HttpResponse) => void
  readonly stop: () => Promise<void>
}

/** Begins to listen somewhere. */
export type Listen = () => Promise<Origin>

/** A defect of the host is answered with 500 and doesn't end its process. */
export const attempt = (handle: () => HttpResponse): HttpResponse => {
  try {
    return handle()
  } catch (fault) {
    return { status: 500, body: `The host has a fault: ${fault instanceof Error ? fault.stack : String(fault)}` }
  }
}

/** Makes the server listen on a free port. `stop` closes all its connections, also idle ones. */
export const listening = async (server: Server, scheme: "http" | "https") => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const stop = async () => {
    const closed = once(server, "close")
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return { url: `${scheme}://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, stop }
}

/** Listens on a free port. */
const listen: Listen = async () => {
  const server = createServer()
  const answer = (handle: (ask: Ask) => HttpResponse) =>
    void server.on("request", (request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      // The client has closed the connection.
      request.on("error", () => {})
      request.on("end", () => {
        const { headers, method = "", url = "" } = request
        const [path = "", ...query] = url.split("?")
        const search = new URLSearchParams(query.join("?"))
        const said = attempt(() => handle({ method, path, query: search, headers, body: Buffer.concat(chunks) }))
        response.writeHead(said.status, said.headers).end(said.body)
      })
    })
  return { ...(await listening(server, "http")), answer }
}

/** Stops them all. */
export const stopAll =
  (...origins: ReadonlyArray<Origin>) =>
  async (): Promise<void> => {
    await Promise.all(origins.map(({ stop }) => stop()))
  }

/** The endpoints of the interface. @see docs/interface.md#4 */
type Endpoint =
  | "reserveBuild"
  | "finalizeBuild"
  | "latestBuild"
  | "readBuild"
  | "reservePreview"
  | "finalizePreview"
  | "readPreview"
  | "registerRun"
  | "listRuns"

/** Each with the scope that its group requires. @see docs/interface.md#5 */
const endpoints: ReadonlyArray<readonly [method: string, path: RegExp, endpoint: Endpoint, scope: Scope]> = [
  ["POST", /^\/api\/v1\/builds$/, "reserveBuild", "builds"],
  ["GET", /^\/api\/v1\/builds$/, "latestBuild", "builds"],
  ["GET", /^\/api\/v1\/builds\/(?<id>[^/]+)$/, "readBuild", "builds"],
  ["POST", /^\/api\/v1\/previews$/, "reservePreview", "preview_upload"],
  ["POST", /^\/api\/v1\/previews\/finalize$/, "finalizePreview", "preview_upload"],
  ["GET", /^\/api\/v1\/previews\/(?<id>[^/]+)$/, "readPreview", "preview_upload"],
  ["POST", /^\/api\/v1\/test-runs$/, "registerRun", "test_runs"],
  ["GET", /^\/api\/v1\/test-runs$/, "listRuns", "test_runs"]
]

/** A request that is allowed. */
interface Allowed {
  readonly account: string
  /** Empty for a GET. A build's finalize is without its `operation`. */
  readonly body: Body
  /** The value of `{id}`; empty where there is none. */
  readonly id: string
  readonly ask: Ask
}

/**
 * Answers the requests of the API by their handlers. Refused are, in this order, requests that the interface doesn't have,
 * without a known key, whose key lacks the scope, and whose body is no JSON object. A preview that is billed as a test run
 * needs `test_runs` as well.
 */
export const makeApi =
  (
    host: {
      readonly callers: ReadonlyMap<string, Caller>
      /** How a key is presented in the header `authorization`. */
      readonly scheme: string
      readonly keyOf?: (credentials: string) => string
      readonly billingKind?: (body: Body) => unknown
      readonly refusals: Readonly<Record<"endpoint" | "key" | "scope" | "body" | "operation", Refusal>>
    },
    handlers: Readonly<Record<Endpoint, (allowed: Allowed) => HttpResponse>>
  ) =>
  (ask: Ask): HttpResponse => {
    const { billingKind = (body) => body.billingKind, callers, keyOf = (key) => key, refusals } = host
    const meant = endpoints.find(([method, path]) => method === ask.method && path.test(ask.path))
    if (meant === undefined) throw refusals.endpoint
    const [scheme, credentials = ""] = (ask.headers.authorization ?? "").split(" ")
    const caller = scheme === host.scheme ? callers.get(keyOf(credentials)) : undefined
    if (caller === undefined) throw refusals.key
    const [, path, endpoint, scope] = meant
    const { account, scopes } = caller
    const id = path.exec(ask.path)?.groups?.id ?? ""
    const sent = ask.method === "POST" ? parseBody(ask.body) : {}
    const isBilled = endpoint === "reservePreview" && billingKind(sent ?? {}) === "test_run"
    const needed: ReadonlyArray<Scope> = isBilled ? [scope, "test_runs"] : [scope]
    if (!needed.every((one) => scopes.includes(one))) throw refusals.scope
    if (sent === undefined) throw refusals.body
    if (endpoint !== "reserveBuild" || sent.operation === undefined) {
      return handlers[endpoint]({ account, body: sent, id, ask })
    }
    const { operation, ...body } = sent
    if (operation !== "finalize") throw refusals.operation
    return handlers.finalizeBuild({ account, body, id, ask })
  }

/** The account of a key, and its scopes. */
interface Caller {
  readonly account: string
  readonly scopes: ReadonlyArray<Scope>
}

/**
 * Two accounts, each with a key of each combination of scopes and two repositories linked to it. `issue` makes a key. Names
 * begin with the name of the host, so that no two hosts share one.
 */
export const makeAccounts = (host: string, issue: () => string) => {
  const callers = new Map<string, Caller>()
  const links = new Map<string, ReadonlyArray<Repository>>()

  const make = (name: string): FairAccount => {
    const key = (...scopes: ReadonlyArray<Scope>): string => {
      const issued = issue()
      callers.set(issued, { account: name, scopes })
      return issued
    }
    const linked = { owner: name, repo: "harbour" }
    const second = { owner: name, repo: "lighthouse" }
    links.set(name, [linked, second])
    return {
      name,
      linked,
      second,
      unlinked: { owner: name, repo: "drydock" },
      keys: {
        all: key("builds", "preview_upload", "test_runs"),
        builds: key("builds"),
        previewUpload: key("preview_upload"),
        testRuns: key("test_runs"),
        withoutBuilds: key("preview_upload", "test_runs"),
        withoutPreviewUpload: key("builds", "test_runs"),
        withoutTestRuns: key("builds", "preview_upload")
      }
    }
  }
  /** Whether the repository with exactly these names is linked to the account. */
  const isLinked = (account: string, { owner, repo }: Repository): boolean =>
    links.get(account)?.some((one) => one.owner === owner && one.repo === repo) === true
  return { a: make(`${host}-north`), b: make(`${host}-south`), callers, isLinked }
}

/** What an object is declared as. */
export type Role = "bundle" | "file" | "recording"

/** Each object of a reservation, in the order in which slots are given. */
export const eachDeclared = <A>(
  toObject: (role: Role, item: unknown) => A,
  { bundle, files, recordings }: { readonly bundle: unknown; readonly files: unknown; readonly recordings?: unknown }
): ReadonlyArray<A> => [
  toObject("bundle", bundle),
  ...asList(files).map((file) => toObject("file", file)),
  ...asList(recordings).map((recording) => toObject("recording", recording))
]

/** The form of a host's tokens, their lifetime, and how wrong ones are refused. */
export interface TokenKind {
  readonly now: () => number
  readonly lifeMs: number
  readonly issue: () => string
  readonly refusals: {
    readonly unknown: Refusal
    readonly foreign: Refusal
    readonly expired: Refusal
    /** The refusal of a used token. Without it, a used token gives its answer again, also after its lifetime. */
    readonly used?: Refusal
  }
}

/** One-time tokens. `use` makes what a token is spent for, and gets the rest of the request. */
export const makeTokens = <Held, Made>(
  { issue, lifeMs, now, refusals }: TokenKind,
  use: (held: Held, account: string, said: unknown) => Made
) => {
  const issued = new Map<unknown, { readonly account: string; readonly until: number; readonly held: Held }>()
  const used = new Map<unknown, Made>()
  return {
    issue: (account: string, held: Held): string => {
      const token = issue()
      issued.set(token, { account, until: now() + lifeMs, held })
      return token
    },
    /** The result of `use`. The token counts as used when `use` has succeeded. */
    spend: (account: string, token: unknown, said?: unknown): Made => {
      const found = issued.get(token)
      if (found === undefined) throw refusals.unknown
      if (found.account !== account) throw refusals.foreign
      const before = used.get(token)
      if (before !== undefined && refusals.used !== undefined) throw refusals.used
      if (before !== undefined) return before
      if (found.until <= now()) throw refusals.expired
      const made = use(found.held, account, said)
      used.set(token, made)
      return made
    }
  }
}

/** Signs the claims of a URL: HMAC-SHA256 with a secret of its own. */
export const makeSeal = () => {
  const secret = randomBytes(32)
  const digest = (fields: ReadonlyArray<string | number>) =>
    createHmac("sha256", secret)
      .update(JSON.stringify(fields.map(String)))
      .digest()
  return {
    sign: (fields: ReadonlyArray<string | number>): string => digest(fields).toString("base64url"),
    // Compared as text, because a decoder would accept other spellings of the same bytes.
    fits: (fields: ReadonlyArray<string | number>, signature: string): boolean => {
      const [expected, said] = [Buffer.from(digest(fields).toString("base64url")), Buffer.from(signature)]
      return expected.length === said.length && timingSafeEqual(expected, said)
    }
  }
}
