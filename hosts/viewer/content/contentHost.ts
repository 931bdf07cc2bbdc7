import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import { objectsRoot, replayRoot } from "../access/capability.ts"
import { Site } from "../access/site.ts"

const isContent = ({ url }: HttpServerRequest.HttpServerRequest): boolean =>
  url.startsWith(replayRoot) || url.startsWith(objectsRoot)

/** The requested host, without its scheme's default port. */
const askedHost = ({ headers, originalUrl }: HttpServerRequest.HttpServerRequest, scheme: string) => {
  const host = headers["host"]
  const url = host === undefined ? originalUrl : `${scheme}//${host}`
  return URL.canParse(url) ? new URL(url).host : undefined
}

/**
 * If uploaded content has its own host, it is served only there, and that host serves nothing else of the viewer:
 * people must not sign in on a host that runs anyone's code. A request to the wrong host is answered with not found.
 */
export const atItsHost = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.gen(function* () {
    const { content } = yield* Site
    const request = yield* HttpServerRequest.HttpServerRequest
    const isThere = askedHost(request, new URL(content.origin).protocol) === content.host
    return content.isApart && isThere !== isContent(request) ? yield* NotFound.answer : yield* app
  })
