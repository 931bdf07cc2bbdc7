import { randomBytes, randomUUID } from "node:crypto"
import { settle, type Start } from "../parts/FairHost.ts"
import { makeAccounts } from "../parts/accounts.ts"
import { makeApi } from "../parts/endpoints.ts"
import { Refusal, refusing, type Answer, type Ask } from "../parts/http.ts"
import { bodyOf } from "../parts/json.ts"
import { makeBuilds } from "./builds.ts"
import { facts } from "./facts.ts"
import { makePreviews } from "./previews.ts"
import { makeTestRuns } from "./testRuns.ts"
import { makeUploads } from "./uploads.ts"

const reply = (status: number, value: unknown): Answer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value)
})

/** The terse host: bare answers, 200 where the interface names no status, one 400 or 404 for many faults. */
export const start: Start = async (options = {}) => {
  const { listen, lives, now } = settle(options)
  const { answer, stop, url } = await listen()
  const { a, b, callers, isLinked } = makeAccounts("terse", () => randomBytes(20).toString("hex"))
  const uploads = makeUploads(url, now, lives.putUrlMs)
  const wrong = new Refusal(400, "token")
  const refusals = { unknown: wrong, foreign: wrong, used: wrong, expired: wrong }
  const tokens = { now, lifeMs: lives.tokenMs, issue: () => randomUUID(), refusals }
  const builds = makeBuilds(url, uploads, tokens, isLinked)
  const previews = makePreviews(url, uploads, tokens)
  const runs = makeTestRuns(url, previews.owned, isLinked)

  const mismatch = new Refusal(400, "body")
  const host = {
    callerOf: ({ headers }: Ask) => callers.get(String(headers["x-api-key"])),
    refusals: {
      endpoint: new Refusal(404, "not_found"),
      key: new Refusal(403, "key"),
      scope: new Refusal(401, "scope")
    }
  }
  const api = makeApi(host, {
    postBuild: (account, ask) => {
      const { operation, ...body } = bodyOf(ask, mismatch)
      if (operation === undefined) return reply(200, builds.reserve(account, body))
      if (operation !== "finalize") throw mismatch
      return reply(201, builds.finalize(account, body.token))
    },
    latestBuild: (account, { query }) => reply(200, builds.latest(account, query)),
    readBuild: (account, _, id) => reply(200, builds.read(account, id)),
    reservePreview: (account, ask) => reply(200, previews.reserve(account, bodyOf(ask, mismatch))),
    finalizePreview: (account, ask) => reply(200, previews.finalize(account, bodyOf(ask, mismatch).reservationToken)),
    readPreview: (account, _, id) => reply(200, previews.read(account, id)),
    registerRun: (account, ask) => reply(200, runs.register(account, bodyOf(ask, mismatch))),
    listRuns: (account, { query }) => reply(200, runs.list(account, query))
  })

  /** Links are capabilities: they open without a key. */
  const link = ({ method, path }: Ask): Answer => {
    const [, kind, id = ""] = path.split("/")
    const bundle = kind === "replay" ? builds.bundle(id) : kind === "p" ? previews.bundle(id) : undefined
    if (method !== "GET") throw new Refusal(404, "not_found")
    if (bundle !== undefined) return { status: 200, body: bundle }
    if (kind === "b" && builds.bundle(id) !== undefined) return { status: 302, headers: { location: `/replay/${id}` } }
    const run = kind === "t" ? runs.trace(url + path) : undefined
    if (run === undefined) throw new Refusal(404, "not_found")
    return reply(200, { name: run.name, passed: run.passed })
  }

  const handle = refusing(
    (ask) => {
      if (ask.path.startsWith("/put/")) return uploads.put(ask)
      return ask.path.startsWith("/api/") ? api(ask) : link(ask)
    },
    ({ code, status }) => reply(status, { code })
  )
  /** Every connection serves one request. */
  answer((ask) => {
    const said = handle(ask)
    return { ...said, headers: { ...said.headers, connection: "close" } }
  })
  return { name: "terse", url, viewerUrl: url, accounts: { a, b }, facts, lives, stop }
}
