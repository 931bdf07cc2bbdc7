import { randomBytes } from "node:crypto"
import { settle, type Start } from "../parts/FairHost.ts"
import { makeAccounts, type Caller } from "../parts/accounts.ts"
import { makeApi } from "../parts/endpoints.ts"
import { Refusal, refusing, type Ask } from "../parts/http.ts"
import { bodyOf, type Body } from "../parts/json.ts"
import { makeBuilds, type Build } from "./builds.ts"
import { answerRefusal, answerWith } from "./document.ts"
import { facts } from "./facts.ts"
import { attributesOf, makePreviews, type Preview } from "./previews.ts"
import { makeReplicas, makeVersions } from "./replicas.ts"
import { makeStorage } from "./storage.ts"
import { makeTestRuns, type Run } from "./testRuns.ts"
import { makeViewer } from "./viewer.ts"

/**
 * The host of many machines: JSON:API, compressed; API, storage and viewer on an origin each; and reads from two
 * replicas in turn, one of which lags 300 ms behind.
 */
export const start: Start = async (options = {}) => {
  const { listen, lives, now } = settle(options)
  const [api, store, pages] = await Promise.all([listen(), listen(), listen()])
  const { a, b, callers, isLinked } = makeAccounts("eventual", () => randomBytes(16).toString("base64url"))

  const tokens = {
    now,
    lifeMs: lives.tokenMs,
    issue: () => randomBytes(24).toString("base64url"),
    refusals: {
      unknown: new Refusal(404, "unknown_token"),
      foreign: new Refusal(409, "reserved_by_another_account"),
      expired: new Refusal(410, "token_expired")
    }
  }
  const asOf = makeReplicas(now, [0, 300])
  const kept = { builds: makeVersions<Build>(now), previews: makeVersions<Preview>(now), runs: makeVersions<Run>(now) }
  const storage = makeStorage(store.url, now, lives.putUrlMs)
  const shared = { viewer: pages.url, storage, asOf, tokens, isLinked }
  const builds = makeBuilds({ ...shared, versions: kept.builds })
  const previews = makePreviews({ ...shared, versions: kept.previews })
  const { hostedUrl } = previews
  const runs = makeTestRuns({ ...shared, api: api.url, previews: kept.previews, hostedUrl, versions: kept.runs })

  const callerOf = ({ headers }: Ask): Caller | undefined => {
    const [scheme, credentials = ""] = (headers.authorization ?? "").split(" ")
    const [key = ""] = Buffer.from(credentials, "base64").toString().split(":")
    return scheme === "Basic" ? callers.get(key) : undefined
  }

  const invalid = new Refusal(400, "invalid")
  const host = {
    callerOf,
    billingKind: (body: Body) => attributesOf(body).billingKind,
    refusals: {
      endpoint: new Refusal(404, "no_such_endpoint"),
      key: new Refusal(401, "key_wanted"),
      scope: new Refusal(403, "scope_wanted")
    }
  }
  const answerApi = makeApi(host, {
    postBuild: (account, ask) => {
      const { operation, ...body } = bodyOf(ask, invalid)
      if (operation === undefined) return answerWith(ask, 201, builds.reserve(account, body))
      if (operation !== "finalize") throw invalid
      return answerWith(ask, 201, builds.finalize(account, body.token))
    },
    latestBuild: (account, ask) => answerWith(ask, 200, builds.latest(account, ask.query)),
    readBuild: (account, ask, id) => answerWith(ask, 200, builds.read(account, id)),
    reservePreview: (account, ask) => answerWith(ask, 201, previews.reserve(account, bodyOf(ask, invalid))),
    finalizePreview: (account, ask) => answerWith(ask, 201, previews.finalize(account, bodyOf(ask, invalid))),
    readPreview: (account, ask, id) => answerWith(ask, 200, previews.read(account, id)),
    registerRun: (account, ask) => answerWith(ask, 201, runs.register(account, bodyOf(ask, invalid))),
    listRuns: (account, ask) => answerWith(ask, 200, runs.list(account, ask.query))
  })

  api.answer(refusing((ask) => answerApi(ask), answerRefusal))
  store.answer(storage.answer)
  const viewer = makeViewer({ ...kept, storage, accountOf: (ask) => callerOf(ask)?.account })
  pages.answer(refusing(viewer, answerRefusal))
  const stop = async () => {
    await Promise.all([api.stop(), store.stop(), pages.stop()])
  }
  return { name: "eventual", url: api.url, viewerUrl: pages.url, accounts: { a, b }, facts, lives, stop }
}
