import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../core/model/Problem.ts"
import { requestedRange } from "../../core/rules/ranges.ts"
import { Capabilities } from "./capability.ts"
import { bundleHeaders, entryPath, pathOf, relativeUrl } from "./entry.ts"
import { hosted } from "./hosted.ts"
import { indexDocument } from "./pages/indexDocument.ts"
import { replayHeaders } from "./replayPolicy.ts"
import { sendObject } from "./sendObject.ts"
import { Site } from "./site.ts"

// The URL as it was sent: the router reads paths without regard to case and cuts them at a semicolon.
const form = /^\/replay\/([\w-]+\.[\w-]+)\/([^?#]*)/

/** The index document, the bundle or a file of what is ready, for who holds a capability of it. */
const serve = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const site = yield* Site
  const [, name, rest = ""] = form.exec(request.url) ?? []
  if (name === undefined) return yield* NotFound.answer
  const headers = replayHeaders(site, request, name)
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

  const capabilities = yield* Capabilities
  const { account, opens } = yield* capabilities.check(name)
  const { entry, open, title } = yield* hosted(account, opens)
  const script = entryPath(entry)
  if (rest === "") return indexDocument({ title, script: relativeUrl(script) })

  const path = pathOf(rest)
  if (path === undefined) return yield* NotFound.answer
  const range = requestedRange(request.headers)
  const isRange = range !== undefined
  if (path === script) {
    const bundle = yield* open({ range })
    return sendObject(bundle, isRange, bundleHeaders(bundle))
  }
  return sendObject(yield* open({ path, range }), isRange)
})

/** A browser asks first before it sends some forms of `Range` across origins. Nothing is told by the answer. */
const preflight = HttpServerResponse.empty({
  status: 204,
  headers: {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD",
    "access-control-allow-headers": "range, if-range",
    "access-control-max-age": "86400"
  }
})

/**
 * The documents of a running build or preview, at URLs that open it for an hour and need no session. What runs there is
 * anyone's code: it has an origin that nothing else shares, and reaches its own files only.
 */
export const routes = [
  HttpRouter.route("GET", "/replay/*", serve),
  HttpRouter.route("OPTIONS", "/replay/*", Effect.succeed(preflight))
]
