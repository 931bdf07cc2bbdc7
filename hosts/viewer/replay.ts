import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound } from "../../core/model/Problem.ts"
import type { OpenObject } from "../../core/ports/ObjectStore.ts"
import { Builds } from "../../core/service/Builds.ts"
import { Capabilities } from "./capability.ts"
import { bundleHeaders, entryPath, pathOf, relativeUrl } from "./entry.ts"
import { indexDocument } from "./pages/indexDocument.ts"
import { requestedRange } from "../../core/rules/ranges.ts"
import { replayHeaders } from "./replayPolicy.ts"
import { Site } from "./site.ts"

// The URL as it was sent: the router reads paths without regard to case and cuts them at a semicolon.
const form = /^\/replay\/([\w-]+\.[\w-]+)\/([^?#]*)/

/** An object, or the range of it that was asked for, under the content type and encoding that it has. */
const send = (
  object: OpenObject,
  isRange: boolean,
  { contentEncoding, contentType }: { readonly contentType: string; readonly contentEncoding?: string | undefined }
) => {
  const { length, offset, sizeBytes, stream } = object
  return HttpServerResponse.stream(stream, {
    status: isRange ? 206 : 200,
    contentType,
    contentLength: length,
    headers: {
      "accept-ranges": "bytes",
      ...(contentEncoding === undefined ? {} : { "content-encoding": contentEncoding }),
      ...(isRange ? { "content-range": `bytes ${offset}-${offset + length - 1}/${sizeBytes}` } : {})
    }
  })
}

/** A ready build's index document, bundle or file, for who holds a capability of it. */
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
  const builds = yield* Builds
  const { account, build } = yield* capabilities.check(name)
  const reader = { account: { id: account } }
  const { repository, upload } = yield* builds.read(reader, build)
  if (upload.hostedPrefix === undefined) return yield* NotFound.answer
  const entry = entryPath(upload.declaration.entry)
  if (rest === "") return indexDocument({ title: repository.repo, script: relativeUrl(entry) })

  const path = pathOf(rest)
  if (path === undefined) return yield* NotFound.answer
  const range = requestedRange(request.headers)
  const isRange = range !== undefined
  if (path === entry) {
    const bundle = yield* builds.open(reader, build, { range })
    return send(bundle, isRange, bundleHeaders(bundle))
  }
  const file = yield* builds.open(reader, build, { path, range })
  return send(file, isRange, file)
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
 * The documents of a running build, at URLs that open it for an hour and need no session. What runs there is anyone's
 * code: it has an origin that nothing else shares, and reaches its own files only.
 */
export const routes = [
  HttpRouter.route("GET", "/replay/*", serve),
  HttpRouter.route("OPTIONS", "/replay/*", Effect.succeed(preflight))
]
