/**
 * `GET /api/v1/builds/{id}` is the most frequent request, so a usual one is answered before the router: with one round
 * trip to the store, and without the framework's layers. Every answer other than 200 is left to the router, so that
 * each rule of the API has one implementation.
 */
import { DateTime, Effect, Redacted, Tracer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { toBuildRow } from "../../core/api/builds/responses.ts"
import { BuildId } from "../../core/model/Build.ts"
import { Builds } from "../../core/service/Builds.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { Settings } from "../../core/service/Settings.ts"
import { countRequest } from "../../core/service/metrics.ts"
import { note, type AccessNotes } from "./accessNotes.ts"
import { OwnAuthenticate } from "./authenticate.ts"
import { usableRequestId } from "./requestId.ts"
import { withUsualHeaders } from "./responseHeaders.ts"

const usualPath = /^\/api\/v1\/builds\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/
const bearer = /^Bearer (slip_[0-9A-Za-z]+)$/
const anyJson = /^(?:\*\/\*|application\/json)$/

/** What this needs to know of a request: as the framework has it, and as Node has it. */
export interface Asked {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

const textOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header : header?.join(", ")

/** The build and the key that a request names, if nothing about it is unusual. */
const usualIn = ({ headers, method, url = "" }: Asked) => {
  if (method !== "GET" || headers["content-encoding"] !== undefined) return undefined
  if (!anyJson.test(textOf(headers["accept"]) ?? "*/*")) return undefined
  const id = usualPath.exec(url)?.[1]
  const key = bearer.exec(textOf(headers["authorization"]) ?? "")?.[1]
  return id === undefined || key === undefined ? undefined : { id: BuildId.make(id), key: Redacted.make(key) }
}

/** The answer 200 to the usual read of a build. */
export interface BuildText {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** The fields of a request for the access log. */
  readonly notes: AccessNotes
}

/** Node's requests that were tried before the framework saw them: they aren't tried again. */
const tried = new WeakSet<object>()

/** Notes that a request was tried. */
export const leaveToRouter = (request: object): void => void tried.add(request)

const route = "/api/v1/builds/:id"

const counted = countRequest({ method: "GET", route, status: "200" })

/** Reads the build for a request, if it is the usual one and its answer is 200. */
export const readsOfBuilds = Effect.gen(function* () {
  const builds = yield* Builds
  const settings = yield* Settings
  const random = yield* SecureRandom
  const authenticate = yield* OwnAuthenticate
  const limits = yield* RateLimits
  const example = HttpServerRequest.fromWeb(new Request(`${settings.url}/api/v1/builds/`))
  const headers = {
    ...withUsualHeaders(settings)(example, HttpServerResponse.empty()).headers,
    "content-type": "application/json"
  }

  return (request: Asked): Effect.Effect<BuildText | undefined> | undefined => {
    const usual = authenticate === undefined && !limits.countsCallers ? usualIn(request) : undefined
    if (usual === undefined) return undefined
    const sentId = usableRequestId(textOf(request.headers["x-request-id"]))
    const read = builds.readByKey(usual.key, usual.id).pipe(
      Effect.zip(Effect.all([DateTime.now, sentId === undefined ? random.uuidV4() : Effect.succeed(sentId), counted])),
      Effect.map(([{ build, caller }, [now, requestId]]) => ({
        body: JSON.stringify(toBuildRow(build, settings.viewerUrl, now)),
        headers: { ...headers, "x-request-id": requestId },
        notes: { requestId, route, account: caller.account.id, key: caller.keyId }
      }))
    )
    return Effect.gen(function* () {
      // A tracer of the host must get the same spans as for other requests.
      if ((yield* Tracer.Tracer) !== Tracer.nativeTracer) return undefined
      return yield* Effect.catch(read, () => Effect.undefined)
    })
  }
})

/** Answers the usual read of a build; every other request is handed to `app`. */
export const readBuildDirectly = Effect.map(
  readsOfBuilds,
  (readOf) =>
    <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const answer = tried.has(request.source) ? undefined : yield* readOf(request) ?? Effect.undefined
        if (answer === undefined) return yield* app
        note(request.source, answer.notes)
        return HttpServerResponse.text(answer.body, { headers: answer.headers })
      })
)
