import { Effect, Redacted } from "effect"
import {
  isList,
  KeyName,
  type AccountName,
  type HttpResponse,
  type Credential,
  type Json
} from "../session/Exchange.ts"
import type { Target } from "../testing/target.ts"
import { asText, eachMember, follow, isObject } from "../dialect/Dialect.ts"
import { Transport, type Outgoing } from "../session/transport.ts"
import { keyHeader } from "../session/live.ts"

/** Asks a host. */
export type Ask = (call: Call) => Effect.Effect<HttpResponse>

/**
 * Stands in front of a host and makes its fault: asks it otherwise, answers otherwise, or doesn't ask at all. It
 * is made once for each host, so what it remembers is that host's.
 */
export type Middleware = (ask: Ask, target: Target) => Ask

/** What a request asks for. `put` is whatever is done to a presigned URL, by any method. */
export type Endpoint =
  | "builds.reserve"
  | "builds.finalize"
  | "builds.latest"
  | "builds.read"
  | "previews.reserve"
  | "previews.finalize"
  | "previews.read"
  | "runs.register"
  | "runs.list"
  | "put"

/** Where a mutant has its fault: in the requests for builds, for previews, or for test runs. */
export type Area = "builds" | "previews" | "runs"

/** The members of a JSON body. */
export type Fields = Readonly<Record<string, Json | undefined>>

/** An upload that the host gave slots for. */
export interface Reservation {
  readonly profile: "builds" | "previews"
  /** What reserved it. */
  readonly call: Call
  readonly token: string
  /** The id of its build, or its preview's shareId. */
  readonly id: string
  /** Of its bundle, its files and its recordings. */
  readonly putUrls: ReadonlyArray<string>
  /** Those of them that the host has accepted a PUT to. */
  readonly arrived: ReadonlySet<string>
}

/** A request on its way to a host, in the words of the reference host. */
export interface Call extends Outgoing {
  readonly endpoint: Endpoint | undefined
  /** Whose key it carries. */
  readonly by: Credential
  /** Of a body that is a JSON object; none of any other. */
  readonly fields: Fields
  readonly query: Fields
  /** The one that its token was given for, or its presigned URL. */
  readonly reservation: Reservation | undefined
}

const endpoints: ReadonlyArray<readonly [method: RegExp, path: RegExp, endpoint: Endpoint]> = [
  [/^GET$/, /^\/api\/v1\/builds$/, "builds.latest"],
  [/^GET$/, /^\/api\/v1\/builds\/[^/]+$/, "builds.read"],
  [/^POST$/, /^\/api\/v1\/builds$/, "builds.reserve"],
  [/^POST$/, /^\/api\/v1\/previews$/, "previews.reserve"],
  [/^POST$/, /^\/api\/v1\/previews\/finalize$/, "previews.finalize"],
  [/^GET$/, /^\/api\/v1\/previews\/[^/]+$/, "previews.read"],
  [/^POST$/, /^\/api\/v1\/test-runs$/, "runs.register"],
  [/^GET$/, /^\/api\/v1\/test-runs$/, "runs.list"],
  [/./, /^\/objects\//, "put"]
]

/** @see docs/interface.md#2.3: what reserves has no `operation`. */
const endpointOf = ({ method, url }: Pick<Outgoing, "method" | "url">, fields: Fields): Endpoint | undefined => {
  const { pathname } = new URL(url)
  const [, , endpoint] = endpoints.find(([verb, path]) => verb.test(method) && path.test(pathname)) ?? []
  return endpoint === "builds.reserve" && fields.operation !== undefined ? "builds.finalize" : endpoint
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldsOf = (body: Outgoing["body"]): Fields => {
  const json = typeof body === "string" ? parsed(body) : undefined
  return isObject(json) ? json : {}
}

const queryOf = (url: string): Fields => Object.fromEntries(new URL(url).searchParams)

/** The area of a request: that of its upload, if it has one. `undefined` of one to no endpoint or to a URL that no reservation answered. */
export const areaOf = ({ endpoint, reservation }: Pick<Call, "endpoint" | "reservation">): string | undefined =>
  reservation?.profile ?? (endpoint === "put" ? undefined : endpoint?.split(".")[0])

/** The same request with other members in its body; `undefined` leaves one out. */
export const saying = (call: Call, changes: Fields): Call => {
  const body = JSON.stringify({ ...call.fields, ...changes })
  return { ...call, body, fields: fieldsOf(body) }
}

/** The same request with other parameters in its query; `undefined` leaves one out. */
export const querying = (call: Call, changes: Fields): Call => {
  const url = new URL(call.url)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, String(value))
  }
  return { ...call, url: url.href, query: queryOf(url.href) }
}

/** The same request with the key of an account that has every scope. */
export const by = (call: Call, account: AccountName): Call => ({ ...call, by: { account, key: "all" } })

/** Whose key a request carries: an account, or nobody's. */
export const accountOf = ({ by }: Pick<Call, "by">): AccountName | undefined =>
  typeof by === "string" ? undefined : by.account

/** Which of its account's keys a request carries, if any. */
export const keyOf = ({ by }: Pick<Call, "by">): KeyName | undefined => (typeof by === "string" ? undefined : by.key)

type Known = Reservation & { readonly arrived: Set<string> }

/** What the host has given slots for so far. */
class Reservations {
  readonly #byToken = new Map<unknown, Known>()
  /** By the paths and by the queries of its URLs: whatever is tampered with is in one of them. */
  readonly #byPart = new Map<string | undefined, Known>()

  /** Remembers the answer to a reservation, or to a PUT. */
  learn(call: Call, { json, status }: HttpResponse): void {
    if (call.endpoint === "put" && call.method === "PUT" && status < 300) {
      const known = this.#byPart.get(call.url.split("?")[0])
      if (known?.putUrls.includes(call.url) === true) known.arrived.add(call.url)
    }
    if (call.endpoint !== "builds.reserve" && call.endpoint !== "previews.reserve") return
    const profile = call.endpoint === "builds.reserve" ? "builds" : "previews"
    const [token, id] = ["/token", profile === "builds" ? "/id" : "/shareId"].map((at) =>
      asText(follow(json ?? null, at))
    )
    const putUrls = [...eachMember(json)].flatMap(({ name, value }) => (name === "putUrl" ? (asText(value) ?? []) : []))
    if (token === undefined || id === undefined) return
    const known: Known = { profile, call, token, id, putUrls, arrived: new Set() }
    this.#byToken.set(token, known)
    for (const part of putUrls.flatMap((url) => url.split("?"))) this.#byPart.set(part, known)
  }

  /** The one that this token or presigned URL, tampered or not, was given for. */
  find(url: string, token: unknown): Reservation | undefined {
    const [path, query] = url.split("?")
    return this.#byToken.get(token) ?? this.#byPart.get(path) ?? this.#byPart.get(query)
  }
}

// Reads and changes JSON answers.

/** The members of a JSON object; none of anything else. */
export const members = (json: Json | undefined): Fields => (isObject(json) ? json : {})

/** The items of a JSON list; none of anything else. */
export const items = (json: Json | undefined): ReadonlyArray<Json> => (isList(json) ? json : [])

/** A value without the members of these names, wherever they lie. */
export const stripped = (json: Json | undefined, names: ReadonlyArray<string>): Json => {
  if (isList(json)) return json.map((item) => stripped(item, names))
  if (!isObject(json)) return json ?? null
  const kept = Object.entries(json).filter(([name]) => !names.includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, stripped(value, names)]))
}

const accounts = ["a", "b"] as const

/** Whose key each value of the header is. */
const holders = ({ config, keys }: Target): ReadonlyMap<string, Credential> =>
  new Map(
    accounts.flatMap((account) =>
      KeyName.literals.flatMap((key): ReadonlyArray<[string, Credential]> => {
        const own = keys[account][key]
        return own === undefined ? [] : [[headerOf(config.bindings.key, own), { account, key }]]
      })
    )
  )

const headerOf = (binding: Parameters<typeof keyHeader>[0], key: Redacted.Redacted): string =>
  Object.values(keyHeader(binding, key)).join("")

/** The transport to a host, with a front before it. */
export const faulty = (
  { target, transport }: { readonly target: Target; readonly transport: Transport["Service"] },
  front: Middleware
): Transport["Service"] => {
  const { config, keys } = target
  const header = config.bindings.key.header.toLowerCase()
  const known = holders(target)
  const reservations = new Reservations()

  const callOf = (request: Outgoing): Call => {
    const fields = fieldsOf(request.body)
    const key = request.headers[header]
    return {
      ...request,
      endpoint: endpointOf(request, fields),
      by: key === undefined ? "none" : (known.get(key) ?? "unknown"),
      fields,
      query: queryOf(request.url),
      reservation: reservations.find(request.url, fields.token)
    }
  }
  const headers = ({ by, headers }: Call): Outgoing["headers"] => {
    const key = typeof by === "string" ? undefined : keys[by.account][by.key]
    return key === undefined ? headers : { ...headers, ...keyHeader(config.bindings.key, key) }
  }
  const host: Ask = (call) =>
    transport.send({ ...call, headers: headers(call) }).pipe(
      Effect.orDie,
      Effect.tap((answer) => Effect.sync(() => reservations.learn(call, answer)))
    )
  const ask = front(host, target)
  return Transport.of({ send: (request) => ask(callOf(request)) })
}
