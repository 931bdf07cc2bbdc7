import { randomBytes, randomUUID } from "node:crypto"
import type { Start } from "../parts/FairHost.ts"
import { makeAccounts } from "../parts/accounts.ts"
import type { Caller } from "../parts/accounts.ts"
import { endpointOf } from "../parts/endpoints.ts"
import type { Endpoint } from "../parts/endpoints.ts"
import { listen, Refusal, refusing } from "../parts/http.ts"
import type { Answer, Ask } from "../parts/http.ts"
import { parseBody } from "../parts/json.ts"
import type { Body } from "../parts/json.ts"
import { settle } from "../parts/settle.ts"
import { makeBuilds } from "./builds.ts"
import { facts } from "./facts.ts"
import { makePreviews } from "./previews.ts"
import { makeRateLimit } from "./rateLimit.ts"
import { makeReservations } from "./reservations.ts"
import { makeStorage } from "./storage.ts"
import { makeTestRuns } from "./testRuns.ts"

const headers = { "content-type": "application/json; charset=utf-8" }

const reply = (status: number, data: unknown): Answer => ({
  status,
  headers,
  body: JSON.stringify({ data, meta: { requestId: randomUUID() } })
})

const refuse = ({ code, status }: Refusal): Answer => ({
  status,
  headers: status === 429 ? { ...headers, "retry-after": "1" } : headers,
  body: JSON.stringify({ error: { code, message: `The request was refused: ${code}.` } })
})

const signIn = { status: 200, headers: { "content-type": "text/html" }, body: "<title>Sign in</title><form></form>" }

/**
 * The strict host: `{ data, meta }` around every answer, every field required and none unknown, a limit on the rate of
 * requests, and an object store on an origin of its own.
 */
export const start: Start = async (options = {}) => {
  const { lives, now } = settle(options)
  const [api, bucket] = await Promise.all([listen(), listen()])
  const { a, b, callers, isLinked } = makeAccounts("enveloped", () => `tok_${randomBytes(24).toString("base64url")}`)
  const storage = makeStorage(bucket.url, now, lives.putUrlMs)
  const builds = makeBuilds(api.url, storage, makeReservations(now, lives.tokenMs), isLinked)
  const previews = makePreviews(api.url, storage, makeReservations(now, lives.tokenMs), isLinked)
  const runs = makeTestRuns(api.url, previews, isLinked)
  const mayPass = makeRateLimit(now, 100, 200)

  const bodyOf = ({ body }: Ask): Body => {
    const parsed = parseBody(body)
    if (parsed === undefined) throw new Refusal(400, "malformed")
    return parsed
  }

  const endpoints: Readonly<Record<Endpoint, (account: string, ask: Ask, id: string) => Answer>> = {
    postBuild: (account, ask) => {
      const { operation, ...body } = bodyOf(ask)
      if (operation === undefined) return reply(202, builds.reserve(account, body))
      if (operation !== "finalize" || Object.keys(body).join() !== "token") throw new Refusal(422, "unprocessable")
      return reply(201, builds.finalize(account, body.token))
    },
    latestBuild: (account, { query }) => reply(200, builds.latest(account, Object.fromEntries(query))),
    readBuild: (account, _, id) => reply(200, builds.read(account, id)),
    reservePreview: (account, ask) => reply(202, previews.reserve(account, bodyOf(ask))),
    finalizePreview: (account, ask) => reply(200, previews.finalize(account, bodyOf(ask))),
    readPreview: (account, _, id) => reply(200, previews.read(account, id)),
    registerRun: (account, ask) => reply(201, runs.register(account, bodyOf(ask))),
    listRuns: (account, { query }) => reply(200, runs.list(account, Object.fromEntries(query)))
  }

  const callerOf = ({ headers }: Ask): Caller | undefined => {
    const [scheme, key = ""] = (headers.authorization ?? "").split(" ")
    return scheme === "Token" ? callers.get(key) : undefined
  }

  const answerApi = (ask: Ask): Answer => {
    if (!mayPass(ask.headers.authorization ?? "")) throw new Refusal(429, "slow_down")
    const caller = callerOf(ask)
    if (caller === undefined) throw new Refusal(401, "unauthenticated")
    const meant = endpointOf(ask.method, ask.path)
    if (meant === undefined) throw new Refusal(405, "unsupported")
    const billed = meant.endpoint === "reservePreview" && parseBody(ask.body)?.billingKind === "test_run"
    const lacks = !caller.scopes.includes(meant.scope) || (billed && !caller.scopes.includes("test_runs"))
    if (lacks) throw new Refusal(403, "scope_missing")
    return endpoints[meant.endpoint](caller.account, ask, meant.id)
  }

  /** The pages are for the account alone; whoever brings no key is asked to sign in, whatever the link. */
  const view = (ask: Ask): Answer => {
    const account = callerOf(ask)?.account
    if (account === undefined) return signIn
    const [, , kind, id = "", ...rest] = ask.path.split("/")
    const bundle =
      kind === "builds" ? builds.bundle(account, id) : kind === "previews" ? previews.bundle(account, id) : undefined
    const trace = kind === "traces" ? runs.read(account, id) : undefined
    if (bundle === undefined && trace === undefined) throw new Refusal(404, "not_found")
    if (bundle !== undefined && rest.at(-1) === "bundle") return { status: 200, body: bundle }
    return { status: 200, headers: { "content-type": "text/html" }, body: `<title>${kind} ${id}</title>` }
  }

  api.answer(refusing((ask) => (ask.path.startsWith("/view/") ? view(ask) : answerApi(ask)), refuse))
  bucket.answer(storage.put)
  const stop = async () => {
    await Promise.all([api.stop(), bucket.stop()])
  }
  return { name: "enveloped", url: api.url, viewerUrl: api.url, accounts: { a, b }, facts, lives, stop }
}
