import type { Caller } from "./accounts.ts"
import type { Scope } from "./FairHost.ts"
import type { Answer, Ask, Refusal } from "./http.ts"
import { parseBody, type Body } from "./json.ts"

/** The endpoints of the interface. @see docs/interface.md#4 */
export type Endpoint =
  | "postBuild"
  | "latestBuild"
  | "readBuild"
  | "reservePreview"
  | "finalizePreview"
  | "readPreview"
  | "registerRun"
  | "listRuns"

const endpoints: ReadonlyArray<readonly [method: string, path: RegExp, endpoint: Endpoint, scope: Scope]> = [
  ["POST", /^\/api\/v1\/builds$/, "postBuild", "builds"],
  ["GET", /^\/api\/v1\/builds$/, "latestBuild", "builds"],
  ["GET", /^\/api\/v1\/builds\/(?<id>[^/]+)$/, "readBuild", "builds"],
  ["POST", /^\/api\/v1\/previews$/, "reservePreview", "preview_upload"],
  ["POST", /^\/api\/v1\/previews\/finalize$/, "finalizePreview", "preview_upload"],
  ["GET", /^\/api\/v1\/previews\/(?<id>[^/]+)$/, "readPreview", "preview_upload"],
  ["POST", /^\/api\/v1\/test-runs$/, "registerRun", "test_runs"],
  ["GET", /^\/api\/v1\/test-runs$/, "listRuns", "test_runs"]
]

interface Meant {
  readonly endpoint: Endpoint
  /** The scope that its group requires. @see docs/interface.md#5 */
  readonly scope: Scope
  /** The value of `{id}`; empty where there is none. */
  readonly id: string
}

/** The endpoint of a request; `undefined` when the interface has none like it. */
const endpointOf = (method: string, path: string): Meant | undefined => {
  for (const [means, pattern, endpoint, scope] of endpoints) {
    const found = means === method ? pattern.exec(path) : null
    if (found !== null) return { endpoint, scope, id: found.groups?.id ?? "" }
  }
  return undefined
}

/** How a host answers each endpoint to an account. */
export type Handlers = Readonly<Record<Endpoint, (account: string, ask: Ask, id: string) => Answer>>

/**
 * Answers the requests of the API by their handlers. Refused are, in this order, requests that the interface doesn't have,
 * without a known key, and whose key lacks the scope. A preview that is billed as a test run needs `test_runs` as well.
 */
export const makeApi =
  (
    host: {
      readonly callerOf: (ask: Ask) => Caller | undefined
      readonly billingKind?: (body: Body) => unknown
      readonly refusals: { readonly endpoint: Refusal; readonly key: Refusal; readonly scope: Refusal }
    },
    handlers: Handlers
  ) =>
  (ask: Ask, path = ask.path): Answer => {
    const { billingKind = (body) => body.billingKind, callerOf, refusals } = host
    const meant = endpointOf(ask.method, path)
    if (meant === undefined) throw refusals.endpoint
    const caller = callerOf(ask)
    if (caller === undefined) throw refusals.key
    const isBilled = meant.endpoint === "reservePreview" && billingKind(parseBody(ask.body) ?? {}) === "test_run"
    const needed: ReadonlyArray<Scope> = isBilled ? [meant.scope, "test_runs"] : [meant.scope]
    if (!needed.every((scope) => caller.scopes.includes(scope))) throw refusals.scope
    return handlers[meant.endpoint](caller.account, ask, meant.id)
  }
