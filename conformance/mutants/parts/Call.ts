import { isObject } from "../../dialect/search.ts"
import type { AccountName, Credential, Json, KeyName } from "../../session/Exchange.ts"
import type { Outgoing } from "../../session/transport.ts"

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
export const endpointOf = ({ method, url }: Pick<Outgoing, "method" | "url">, fields: Fields): Endpoint | undefined => {
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

export const fieldsOf = (body: Outgoing["body"]): Fields => {
  const json = typeof body === "string" ? parsed(body) : undefined
  return isObject(json) ? json : {}
}

export const queryOf = (url: string): Fields => Object.fromEntries(new URL(url).searchParams)

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

/** The same request with another key. */
export const by = (call: Call, account: AccountName, key: KeyName = "all"): Call => ({ ...call, by: { account, key } })

/** Whose key a request carries: an account, or nobody's. */
export const accountOf = ({ by }: Pick<Call, "by">): AccountName | undefined =>
  typeof by === "string" ? undefined : by.account

/** Which of its account's keys a request carries, if any. */
export const keyOf = ({ by }: Pick<Call, "by">): KeyName | undefined => (typeof by === "string" ? undefined : by.key)

/** A read of another path of the API with the key of a request. */
export const reading = (call: Call, endpoint: Endpoint, path: string): Call => {
  const url = new URL(`/api/v1${path}`, call.url).href
  return {
    ...call,
    endpoint,
    method: "GET",
    url,
    query: queryOf(url),
    body: undefined,
    fields: {},
    reservation: undefined
  }
}
