/** Uploads, by a client that retries until each step is acknowledged. */
import { ask, askAny, at, isUnknown, type Answer, type Circumstances, type Request } from "./requests.ts"
import { declarationOf, type Content } from "./contents.ts"
import type { HostProcess } from "./hostProcess.ts"
import { recordAcknowledged, type Account, type Identity, type Kind, type Resource } from "./resources.ts"

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
): Promise<(Answer & { readonly host: HostProcess; readonly tries: number }) | undefined> => {
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
