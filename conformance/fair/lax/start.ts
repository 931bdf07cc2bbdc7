import { randomBytes } from "node:crypto"
import { settle, type Start } from "../parts/FairHost.ts"
import { makeAccounts } from "../parts/accounts.ts"
import { makeApi } from "../parts/endpoints.ts"
import { Refusal, refusing, type Answer, type Ask } from "../parts/http.ts"
import { parseBody } from "../parts/json.ts"
import { makeBuilds } from "./builds.ts"
import { facts } from "./facts.ts"
import { makeLinks } from "./links.ts"
import { makePreviews } from "./previews.ts"
import { makeTestRuns } from "./testRuns.ts"
import { makeUploads } from "./uploads.ts"

const headers = { "content-type": "text/json" }

const reply = (status: number, value: object): Answer => ({
  status,
  headers,
  body: JSON.stringify({ ok: status < 400, ...value })
})

/** The path below which the service is mounted on its origin. */
const mount = "/hosting/eu"

/**
 * The host that takes what it is given, below a path of its origin. It guesses what is left out, and what the caller may
 * not have it doesn't know: no key, no scope, somebody else's are all 404.
 */
export const start: Start = async (options = {}) => {
  const { listen, lives, now } = settle(options)
  const origin = await listen()
  const url = origin.url + mount
  const { a, b, callers, isLinked } = makeAccounts("lax", () => randomBytes(30).toString("base64"))
  /** Compared without case, because all links of this host are in lower case. */
  const isAnyLinked = (account: string, owner: unknown, repo: unknown) =>
    isLinked(account, { owner: String(owner).toLowerCase(), repo: String(repo).toLowerCase() })
  const links = makeLinks(url)
  const uploads = makeUploads(url, now, lives.putUrlMs)
  const notFound = new Refusal(404, "not_found")
  const refusals = { unknown: notFound, foreign: notFound, used: notFound, expired: notFound }
  const tokens = { now, lifeMs: lives.tokenMs, issue: () => crypto.randomUUID(), refusals }
  const builds = makeBuilds(links, uploads, tokens, isAnyLinked)
  const previews = makePreviews(links, uploads, tokens)
  const runs = makeTestRuns(links, previews, isAnyLinked)

  const bodyOf = ({ body }: Ask) => parseBody(body) ?? {}

  const callerOf = ({ headers }: Ask) => callers.get(/^key="(.*)"$/.exec(String(headers["x-access"]))?.[1] ?? "")
  const host = { callerOf, refusals: { endpoint: notFound, key: notFound, scope: notFound } }
  const api = makeApi(host, {
    postBuild: (account, ask) => {
      const { operation, ...body } = bodyOf(ask)
      return operation === "finalize"
        ? reply(201, builds.finalize(account, body.token))
        : reply(200, builds.reserve(account, body))
    },
    latestBuild: (account, { query }) => {
      const found = builds.latest(account, query)
      return found === undefined ? { status: 204 } : reply(200, found)
    },
    readBuild: (account, _, id) => reply(200, builds.read(account, id)),
    reservePreview: (account, ask) => reply(202, previews.reserve(account, bodyOf(ask))),
    finalizePreview: (account, ask) => reply(200, previews.finalize(account, bodyOf(ask).token)),
    readPreview: (account, _, id) => reply(200, previews.read(account, id)),
    registerRun: (account, ask) => reply(202, runs.register(account, bodyOf(ask))),
    listRuns: (account, { query }) => reply(200, runs.list(account, query))
  })

  const view = (ask: Ask, path: string): Answer => {
    const [, , kind = "", id = ""] = path.split("/")
    const caller = callerOf(ask)
    if (kind === "b" && caller !== undefined && builds.isOf(caller.account, id)) {
      return { status: 200, headers: { "content-type": "text/html" }, body: `<title>Build ${id}</title>` }
    }
    if (!links.opens(kind, id, ask.query.get("cap") ?? "")) throw notFound
    const bundle = kind === "replay" ? builds.bundle(id) : previews.bundle(id)
    return bundle === undefined ? reply(200, runs.title(id) ?? {}) : { status: 200, body: bundle }
  }

  const handle = (ask: Ask): Answer => {
    if (!ask.path.startsWith(`${mount}/`)) throw notFound
    const path = ask.path.slice(mount.length)
    if (path === "/up") return uploads.put(ask)
    return path.startsWith("/view/") ? view(ask, path) : api(ask, path)
  }
  origin.answer(refusing(handle, ({ code, status }) => reply(status, { error: code })))
  return { name: "lax", url, viewerUrl: url, accounts: { a, b }, facts, lives, stop: origin.stop }
}
