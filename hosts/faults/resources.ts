/** What a service has acknowledged to the accounts of a fault run. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect } from "effect"
import { command } from "../cli/command.ts"
import { runWith } from "../cli/parts/run.ts"
import { type Content, declarationOf, digestOf, type Record } from "./choices.ts"
import type { HostProcess } from "./deployment.ts"

export interface Account {
  readonly name: string
  readonly key: string
  /** Everything that was acknowledged to it, in the order in which it was finalized. */
  readonly resources: Array<Resource>
  /** The cookie of its session, once it signed in. */
  cookie: string | undefined
}

export type Kind = "build" | "preview"

/** The identity of a build. */
export interface Identity {
  readonly branch: string
  readonly commitSha: string
}

/**
 * What a host has acknowledged.
 *
 * - `ready`: it is there whole, for its account alone.
 * - `changing`: it is there whole; which of its versions isn't known.
 * - `deleting`: it exists completely, or not at all.
 * - `deleted`: it is deleted permanently.
 */
export interface Resource {
  readonly kind: Kind
  readonly id: string
  readonly account: Account
  readonly identity: Identity
  state: "ready" | "changing" | "deleting" | "deleted"
  /** What it may show: the contents of one upload each. */
  versions: ReadonlyArray<ReadonlyArray<Content>>
  /** Whether it is kept, regardless of the retention rules. */
  isKept: boolean
  /** It may expire by the retention rules. */
  mayExpire: boolean
}

const holders = new WeakMap<ReadonlyArray<Content>, Set<Resource>>()

/** Records that a resource was acknowledged with these contents. */
const recordAcknowledged = (contents: ReadonlyArray<Content>, resource: Resource): void => {
  holders.set(contents, (holders.get(contents) ?? new Set()).add(resource))
}

/**
 * Whether the hosted bytes of these contents may be deleted: one of the resources with them was changed, or may be
 * deleted. The service remembers one of several with the same bytes, and finds none when that one is deleted.
 */
export const mayBeDeleted = (contents: ReadonlyArray<Content>): boolean =>
  [...(holders.get(contents) ?? [])].some(
    ({ mayExpire, state, versions }) => mayExpire || state !== "ready" || !versions.includes(contents)
  )

export const pathOf = ({ id, kind }: Pick<Resource, "id" | "kind">): string => `/api/v1/${kind}s/${id}`

// Runs `slipway` commands in this process, as an administrator does beside a host.

/** What a command printed as JSON; `undefined` if it failed. */
export const administer = (
  settings: Readonly<globalThis.Record<string, string>>,
  ...args: ReadonlyArray<string>
): Promise<unknown> => {
  const printed: Array<string> = []
  const console: Console.Console = {
    ...globalThis.console,
    log: (line: unknown) => void printed.push(String(line)),
    error: () => undefined
  }
  return runWith(command, [...args, "--json"]).pipe(
    Effect.map((code): unknown => (code === 0 ? JSON.parse(printed.join("\n")) : undefined)),
    Effect.provide([NodeServices.layer, ConfigProvider.layer(ConfigProvider.fromUnknown(settings))]),
    Effect.provideService(Console.Console, console),
    Effect.runPromise
  )
}

// How clients ask hosts: what was answered, if anything was, with the answers counted that no host may give.

export interface HttpResponse {
  readonly status: number
  readonly body: unknown
  readonly bytes: Uint8Array
}

export interface Request {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE"
  readonly headers?: Readonly<globalThis.Record<string, string>>
  readonly body?: string | Uint8Array
  /** What a redirect is: followed, unless it is an answer to be looked at. */
  readonly redirect?: "follow" | "manual"
}

/** The value at a path of names in what was answered. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((found, name) => Reflect.get(Object(found), name), value)

/** What the clients of a run may expect of it at the moment. */
export interface Circumstances {
  readonly record: Record
  /** Whether the disk may be full. */
  isDiskFull: boolean
}

/** Asks any server; `undefined` when there was no whole answer. */
const askAny = async (url: string, { body, headers = {}, method = "GET", redirect = "follow" }: Request = {}) => {
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : Buffer.from(body) })
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const isJson = response.headers.get("content-type")?.includes("json") === true
    const text = new TextDecoder().decode(bytes)
    const cookie = response.headers.getSetCookie()[0]?.split(";")[0]
    return { status: response.status, bytes, cookie, body: isJson ? (JSON.parse(text) as unknown) : text }
  } catch {
    return undefined
  }
}

/** Asks a host. Of its own faults it may answer 503, and 507 while its disk is full. */
export const ask = async (world: Circumstances, url: string, request: Request = {}) => {
  const wasFull = world.isDiskFull
  const answer = await askAny(url, request)
  const { record } = world
  if (answer === undefined) {
    record.count("requests unanswered")
    return undefined
  }
  record.count("requests answered")
  const { status } = answer
  if (status < 500) return answer
  record.count(`answers ${status}`)
  const may = status === 503 || (status === 507 && (wasFull || world.isDiskFull))
  if (!may) record.broken(`${request.method ?? "GET"} ${url} was answered ${status}: ${JSON.stringify(answer.body)}`)
  return answer
}

/** Whether an answer says nothing of what was asked for: none came, or an engine was away or full. */
export const isUnknown = (answer: HttpResponse | undefined): answer is undefined =>
  answer === undefined || answer.status >= 500

// Looks at what was acknowledged, as its account sees it, and judges whether the promise of it is kept.

/** `unknown` when an engine was away; `damaged` says what is wrong, `whole` which upload it shows. */
type Seen =
  | { readonly found: "gone" | "unknown" }
  | { readonly found: "whole"; readonly shows: ReadonlyArray<Content> }
  | { readonly found: "damaged"; readonly why: string }

const bearer = ({ key }: Account) => ({ authorization: `Bearer ${key}` })

/** Signs an account in to the pages, once. */
const signedIn = async (world: Circumstances, { url }: HostProcess, account: Account) => {
  if (account.cookie !== undefined) return { cookie: account.cookie }
  const body = new URLSearchParams({ key: account.key, to: "/" }).toString()
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const answer = await ask(world, `${url}/sign-in`, { method: "POST", headers, body, redirect: "manual" })
  if (isUnknown(answer)) return undefined
  account.cookie = answer.cookie
  return { cookie: answer.cookie ?? "" }
}

/** A URL of the service, on this host. */
const on = ({ url }: HostProcess, path: string): string => {
  const { pathname, search } = new URL(path, url)
  return url + pathname + search
}

interface Opens {
  readonly url: string
  readonly headers: Readonly<globalThis.Record<string, string>>
}

/** Where the contents of a build are opened: in the frame of its replay. `undefined` when that is not known now. */
const openBuild = async (world: Circumstances, host: HostProcess, { account }: Resource, row: unknown) => {
  const session = await signedIn(world, host, account)
  if (session === undefined) return undefined
  const page = await ask(world, on(host, String(at(row, "previewUrl"))), { headers: session })
  if (isUnknown(page)) return undefined
  const frame = /<iframe[^>]*\ssrc="([^"]+)"/.exec(String(page.body))?.[1]
  return (path: string): Opens | undefined =>
    frame === undefined ? undefined : { url: on(host, frame + path), headers: {} }
}

const openPreview = (host: HostProcess, { account }: Resource, metadata: unknown) => {
  const files = at(metadata, "files")
  const all = [{ path: "index.js", object: at(metadata, "bundle") }].concat(
    (Array.isArray(files) ? files : []).map((object: unknown) => ({ path: String(at(object, "path")), object }))
  )
  return (path: string): Opens | undefined => {
    const url = at(all.find((one) => one.path === path)?.object, "url")
    return typeof url === "string" ? { url: on(host, url), headers: bearer(account) } : undefined
  }
}

/** Looks once. `row` is what the read answered, for which the contents were read. */
const lookOnce = async (
  world: Circumstances,
  host: HostProcess,
  resource: Resource
): Promise<Seen & { row?: unknown }> => {
  const row = await ask(world, host.url + pathOf(resource), { headers: bearer(resource.account) })
  if (isUnknown(row)) return { found: "unknown" }
  if (row.status === 404) return { found: "gone" }
  const damaged = (why: string) => ({ found: "damaged" as const, why, row: row.body })
  if (row.status !== 200) return damaged(`is answered ${row.status}`)
  if (at(row.body, "status") !== "ready") return damaged(`is ${String(at(row.body, "status"))}`)
  const [version = []] = resource.versions.filter(
    ([bundle]) => resource.kind === "preview" || bundle?.digest === at(row.body, "contentHash")
  )
  if (version.length === 0) return damaged("shows what was never uploaded for it")
  const opens =
    resource.kind === "build" ? await openBuild(world, host, resource, row.body) : openPreview(host, resource, row.body)
  if (opens === undefined) return { found: "unknown" }
  const read = async ({ digest, path }: Content) => {
    const open = opens(path)
    if (open === undefined) return damaged(`doesn't say where its ${path} is`)
    const got = await ask(world, open.url, { headers: open.headers })
    if (isUnknown(got)) return { found: "unknown" as const }
    if (got.status !== 200) return damaged(`has no ${path}: ${got.status}`)
    if (digestOf(got.bytes) !== digest) return damaged(`has other bytes than were uploaded at ${path}`)
    world.record.count("contents read back by digest")
    return undefined
  }
  for (const one of version) {
    const seen = await read(one)
    if (seen !== undefined) return seen
  }
  return { found: "whole", shows: version }
}

/** Looks until the read and the contents belong together: between the two it may have been deleted, or uploaded again. */
export const look = async (world: Circumstances, host: HostProcess, resource: Resource): Promise<Seen> => {
  for (let row: unknown; ;) {
    const { row: seen, ...found } = await lookOnce(world, host, resource)
    if (found.found !== "damaged" || (row !== undefined && JSON.stringify(row) === JSON.stringify(seen))) return found
    row = seen
  }
}

const nameOf = ({ account, id, kind }: Resource): string => `the ${kind} ${id} of ${account.name}`

/** Reads a resource on a host, and records a broken promise. Returns whether the answer was conclusive. */
export const judge = async (world: Circumstances, host: HostProcess, resource: Resource): Promise<boolean> => {
  const { state, versions } = resource
  const seen = await look(world, host, resource)
  if (seen.found === "unknown") return false
  // A concurrent action of its own client changes the valid answers.
  if (resource.state !== state || resource.versions !== versions) return true
  const { record } = world
  const mayBeGone = resource.mayExpire && !resource.isKept
  if (seen.found === "damaged" && state !== "deleted") record.broken(`${nameOf(resource)} ${seen.why}, on ${host.name}`)
  if (seen.found === "gone" && (state === "ready" || state === "changing") && !mayBeGone)
    record.broken(`${nameOf(resource)} is missing, on ${host.name}, and wasn't deleted`)
  if (seen.found !== "gone" && state === "deleted") record.broken(`${nameOf(resource)} is still there, on ${host.name}`)
  return true
}

// Uploads, by a client that retries until each step is acknowledged.

/** What a client needs of a run. */
export interface World extends Circumstances {
  readonly hosts: readonly [HostProcess, ...Array<HostProcess>]
  /** The time by which reservations end, in milliseconds. */
  readonly now: () => number
  /** Whether clients are to end. */
  isOver: boolean
  /** When the last reservation ends that was answered. */
  lastEnd: number
}

/** The hosts to ask in turn, beginning with one of them. */
const from = ({ hosts }: World, first: HostProcess, nth: number): HostProcess =>
  hosts[(hosts.indexOf(first) + nth) % hosts.length] ?? first

/** Asks one host after the other until one answers what counts, or the run is over. */
export const askUntilKnown = async (
  world: World,
  first: HostProcess,
  path: string,
  request: Request
): Promise<(HttpResponse & { readonly host: HostProcess; readonly tries: number }) | undefined> => {
  for (let tries = 1; !world.isOver || tries < 30; tries++) {
    const host = from(world, first, tries - 1)
    const answer = await ask(world, host.url + path, request)
    if (!isUnknown(answer)) return { ...answer, host, tries }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return undefined
}

export const json = ({ key }: Account, body: unknown): Request => ({
  method: "POST",
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** A reservation that was answered. */
export interface Reserved {
  readonly kind: Kind
  readonly id: string
  readonly account: Account
  readonly identity: Identity
  readonly token: string
  readonly expiresAt: number
  readonly slots: ReadonlyArray<unknown>
  readonly contents: ReadonlyArray<Content>
}

let commits = 0
/** An identity that no other build of this run has. */
export const newIdentity = (branch: string = crypto.randomUUID()): Identity => ({
  branch,
  commitSha: (++commits).toString(16).padStart(40, "0")
})

/** Reserves; `undefined` when no host said what became of it. */
export const reserve = async (
  world: World,
  host: HostProcess,
  account: Account,
  kind: Kind,
  contents: ReadonlyArray<Content>,
  identity: Identity = newIdentity()
): Promise<Reserved | undefined> => {
  const where = { owner: account.name, repo: "app", ...identity }
  const body = { ...where, ...(kind === "build" ? { platform: "ios" } : {}), ...declarationOf(contents) }
  const request = json(account, body)
  const headers = { ...request.headers, "idempotency-key": crypto.randomUUID() }
  const answer = await askUntilKnown(world, host, `/api/v1/${kind}s`, { ...request, headers })
  if (answer === undefined) return undefined
  const { record } = world
  if (answer.status !== 201) {
    record.broken(`a ${kind} could not be reserved: ${answer.status} ${JSON.stringify(answer.body)}`)
    return undefined
  }
  record.count("uploads reserved")
  const expiresAt = Date.parse(String(at(answer.body, "expiresAt")))
  world.lastEnd = Math.max(world.lastEnd, expiresAt)
  const slots = at(answer.body, "slots")
  const files = at(slots, "files")
  return {
    kind,
    id: String(at(answer.body, kind === "build" ? "id" : "shareId")),
    account,
    identity,
    token: String(at(answer.body, "token")),
    expiresAt,
    slots: [at(slots, "bundle"), ...(Array.isArray(files) ? files : [])],
    contents
  }
}

/** PUTs what was reserved. Answers whether a store acknowledged all of it. */
export const putAll = async (world: World, { contents, slots }: Reserved): Promise<boolean> => {
  for (const [nth, { bytes }] of contents.entries()) {
    const slot = slots[nth]
    const put = () =>
      askAny(String(at(slot, "putUrl")), {
        method: "PUT",
        headers: { "content-type": String(at(slot, "contentType")) },
        body: bytes
      })
    let answer = await put()
    for (let tries = 1; tries < 5 && answer?.status !== 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      answer = await put()
    }
    if (answer?.status !== 200) {
      world.record.count(`PUTs given up${answer === undefined ? "" : ` at ${answer.status}`}`)
      return false
    }
  }
  return true
}

const finalizing = ({ account, kind, token }: Reserved) =>
  kind === "build"
    ? { path: "/api/v1/builds", request: json(account, { operation: "finalize", token }) }
    : { path: "/api/v1/previews/finalize", request: json(account, { token }) }

/** How far a host's clock may be behind the time by which a reservation has ended, before its answer is a fault. */
const slackMillis = 1000

/**
 * Finalizes what was PUT, until a host says what became of it, and writes down what was acknowledged. A reservation that is
 * alive must not be refused, unless it `mayMiss` what it relied on to be there already. `before` is the build that it is
 * uploaded for again.
 */
export const finalize = async (
  world: World,
  host: HostProcess,
  reserved: Reserved,
  { before, mayMiss = () => false }: { readonly before?: Resource; readonly mayMiss?: () => boolean } = {}
): Promise<Resource | undefined> => {
  const { account, contents, expiresAt, id, identity, kind } = reserved
  const { record } = world
  const shownBefore = before?.versions
  if (before !== undefined) {
    before.versions = [...before.versions, contents]
    before.state = "changing"
  }
  const { path, request } = finalizing(reserved)
  const answer = await askUntilKnown(world, host, path, request)
  if (answer?.status === 201) {
    record.count("uploads finalized")
    const resource: Resource = before ?? {
      kind,
      id,
      account,
      identity,
      state: "ready",
      versions: [],
      isKept: false,
      mayExpire: false
    }
    resource.versions = [contents]
    recordAcknowledged(contents, resource)
    resource.state = "ready"
    if (before === undefined) account.resources.push(resource)
    return resource
  }
  if (before !== undefined && shownBefore !== undefined && answer !== undefined) {
    before.versions = shownBefore
    before.state = "ready"
  }
  record.count(`finalizes refused${answer === undefined ? "" : ` with ${answer.status}`}`)
  const isAlive = world.now() + slackMillis < expiresAt
  // A host whose clock is ahead answers that a reservation is over.
  const isOff = answer?.status === 410 && Date.now() + answer.host.clock() + slackMillis >= expiresAt
  const misses = answer?.status === 409 && mayMiss()
  if (answer !== undefined && isAlive && !isOff && !misses) {
    const said = `${answer.status} ${JSON.stringify(at(answer.body, "code"))}`
    record.broken(`the upload of the ${kind} ${id}, whose reservation is alive, was refused: ${said}`)
  }
  return undefined
}

/** A whole upload; `undefined` when it came to nothing. */
export const upload = async (
  world: World,
  host: HostProcess,
  account: Account,
  kind: Kind,
  contents: ReadonlyArray<Content>,
  identity?: Identity
): Promise<Resource | undefined> => {
  const reserved = await reserve(world, host, account, kind, contents, identity)
  return reserved !== undefined && (await putAll(world, reserved)) ? finalize(world, host, reserved) : undefined
}

// Deletions, which are acknowledged once.

const deletion = ({ key }: Account) => ({ method: "DELETE" as const, headers: { authorization: `Bearer ${key}` } })

/** Deletes a resource until a host answers that it is deleted; then no host shows it any more. */
export const remove = async (world: World, host: HostProcess, resource: Resource): Promise<void> => {
  const wasThere = resource.state === "ready" && (!resource.mayExpire || resource.isKept)
  resource.state = "deleting"
  const answer = await askUntilKnown(world, host, pathOf(resource), deletion(resource.account))
  if (answer === undefined) return
  if (answer.status === 204) world.record.count("deletions acknowledged")
  else if (answer.status !== 404 || (wasThere && answer.tries === 1))
    world.record.broken(`the deletion of the ${resource.kind} ${resource.id} was answered ${answer.status}`)
  resource.state = "deleted"
  for (const one of world.hosts) await judge(world, one, resource)
}

/** Deletes again what is deleted: it isn't there. */
export const removeAgain = async (world: World, host: HostProcess, resource: Resource): Promise<void> => {
  const answer = await ask(world, host.url + pathOf(resource), deletion(resource.account))
  if (isUnknown(answer)) return
  world.record.count("deletions requested again")
  if (answer.status !== 404)
    world.record.broken(`the ${resource.kind} ${resource.id} was deleted twice: the second time with ${answer.status}`)
}

/** Another account reads and deletes what isn't its own: the answer is 404. */
export const trespass = async (world: World, host: HostProcess, by: Account, resource: Resource): Promise<void> => {
  for (const request of [{ headers: { authorization: `Bearer ${by.key}` } }, deletion(by)]) {
    const answer = await ask(world, host.url + pathOf(resource), request)
    if (isUnknown(answer)) continue
    world.record.count("requests for others' resources")
    if (answer.status === 404) continue
    const did = "method" in request ? "delete" : "read"
    world.record.broken(
      `${by.name} may ${did} the ${resource.kind} ${resource.id} of ${resource.account.name}: ${answer.status}`
    )
  }
}
