import { randomBytes, randomUUID } from "node:crypto"
import { settle, type Start } from "../parts/FairHost.ts"
import { makeAccounts, type Caller } from "../parts/accounts.ts"
import { makeApi } from "../parts/endpoints.ts"
import { Refusal, refusing, type Answer, type Ask } from "../parts/http.ts"
import { bodyOf } from "../parts/json.ts"
import { makeBuilds } from "./builds.ts"
import { facts } from "./facts.ts"
import { makePreviews } from "./previews.ts"
import { makeRateLimit } from "./rateLimit.ts"
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
  const { listen, lives, now } = settle(options)
  const [api, bucket] = await Promise.all([listen(), listen()])
  const { a, b, callers, isLinked } = makeAccounts("enveloped", () => `tok_${randomBytes(24).toString("base64url")}`)
  const storage = makeStorage(bucket.url, now, lives.putUrlMs)
  const forbidden = new Refusal(403, "forbidden")
  const tokens = {
    now,
    lifeMs: lives.tokenMs,
    issue: () => `rsv_${randomBytes(16).toString("hex")}`,
    refusals: {
      unknown: new Refusal(404, "reservation_unknown"),
      foreign: forbidden,
      used: new Refusal(409, "already_finalized"),
      expired: new Refusal(403, "reservation_expired")
    }
  }
  const builds = makeBuilds(api.url, storage, tokens, isLinked)
  const previews = makePreviews(api.url, storage, tokens, isLinked)
  const runs = makeTestRuns(api.url, previews, isLinked)
  const mayPass = makeRateLimit(now, 100, 200)

  const callerOf = ({ headers }: Ask): Caller | undefined => {
    const [scheme, key = ""] = (headers.authorization ?? "").split(" ")
    return scheme === "Token" ? callers.get(key) : undefined
  }

  const malformed = new Refusal(400, "malformed")
  const host = {
    callerOf,
    refusals: {
      endpoint: new Refusal(405, "unsupported"),
      key: new Refusal(401, "unauthenticated"),
      scope: new Refusal(403, "scope_missing")
    }
  }
  const answerApi = makeApi(host, {
    postBuild: (account, ask) => {
      const { operation, ...body } = bodyOf(ask, malformed)
      if (operation === undefined) return reply(202, builds.reserve(account, body))
      if (operation !== "finalize" || Object.keys(body).join() !== "token") throw new Refusal(422, "unprocessable")
      return reply(201, builds.finalize(account, body.token))
    },
    latestBuild: (account, { query }) => reply(200, builds.latest(account, Object.fromEntries(query))),
    readBuild: (account, _, id) => reply(200, builds.read(account, id)),
    reservePreview: (account, ask) => reply(202, previews.reserve(account, bodyOf(ask, malformed))),
    finalizePreview: (account, ask) => reply(200, previews.finalize(account, bodyOf(ask, malformed))),
    readPreview: (account, _, id) => reply(200, previews.read(account, id)),
    registerRun: (account, ask) => reply(201, runs.register(account, bodyOf(ask, malformed))),
    listRuns: (account, { query }) => reply(200, runs.list(account, Object.fromEntries(query)))
  })

  /** Pages open only with a key of the account. Without a key, every link shows the sign-in page. */
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

  const handle = (ask: Ask): Answer => {
    if (ask.path.startsWith("/view/")) return view(ask)
    if (!mayPass(ask.headers.authorization ?? "")) throw new Refusal(429, "slow_down")
    return answerApi(ask)
  }
  api.answer(refusing(handle, refuse))
  bucket.answer(storage.put)
  const stop = async () => {
    await Promise.all([api.stop(), bucket.stop()])
  }
  return { name: "enveloped", url: api.url, viewerUrl: api.url, accounts: { a, b }, facts, lives, stop }
}
