import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound, UrlRefused } from "../../../core/model/Problem.ts"
import { beginning } from "../content/beginning.ts"
import { Capabilities } from "../access/capability.ts"
import { bundleHeaders, entryPath, pathOf, relativeUrl } from "../content/entry.ts"
import { fetchDestination } from "../content/fetchDestination.ts"
import { hosted } from "../content/hosted.ts"
import { isNative, lookedAtBytes } from "./bundleKind.ts"
import { obstacle } from "./obstacle.ts"
import { indexDocument, obstacleDocument } from "./indexDocument.ts"
import { preflight } from "../content/preflight.ts"
import { replayHeaders } from "../content/contentPolicy.ts"
import { Assets } from "../ui/assets.ts"
import { rangeOf, sendObject } from "../content/sendObject.ts"
import { Site } from "../access/site.ts"

// The URL as it was sent: the router reads paths without regard to case and cuts them at a semicolon.
const form = /^\/replay\/([\w-]+\.[\w-]+)\/([^?#]*)/

/** Where the script is that plays the phone for a native bundle: beside the documents, where no uploaded file can be. */
const phoneUrl = "./?phone"

const onPagesOnly = new UrlRefused({ detail: "Uploaded apps run on a page of the viewer. Open that page." })

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

  // As a page of its own it could pass for one of the viewer's, and lead itself away with all that it knows.
  const destination = fetchDestination(request)
  if (destination === "document") return yield* onPagesOnly
  const capabilities = yield* Capabilities
  const { account, opens } = yield* capabilities.check(name)
  const { entry, open, title, validator } = yield* hosted(account, opens)
  const script = entryPath(entry)
  if (request.url.endsWith(phoneUrl.slice(1)) && destination !== "iframe") {
    const text = `(() => {"use strict";${(yield* Assets).textOf("phone")}\n})()`
    return HttpServerResponse.text(text, { contentType: "text/javascript; charset=utf-8" })
  }
  if (rest === "") {
    // A browser may not say what it asks for. The document then runs the bundle in a frame only.
    if (destination !== undefined && destination !== "iframe") return yield* onPagesOnly
    const bridge = (yield* Assets).textOf("bridge")
    const start = yield* beginning((range) => open({ range }), lookedAtBytes)
    const why = start.isPlain ? obstacle(start.bytes) : undefined
    return why === undefined
      ? indexDocument({
          title,
          bridge,
          script: relativeUrl(script),
          phone: start.isPlain && isNative(start.bytes) ? phoneUrl : undefined
        })
      : obstacleDocument({ title, bridge, why })
  }

  const path = pathOf(rest)
  if (path === undefined) return yield* NotFound.answer
  const file = path === script ? undefined : path
  const tag = validator(file)
  const range = rangeOf(request, tag)
  const object = yield* open({ path: file, range })
  const shown = file === undefined ? bundleHeaders(object) : {}
  return sendObject(object, { range, name: path, destination, validator: tag, ...shown })
})

/**
 * The documents of a running build or preview, at URLs that open it for an hour and need no session. What runs there is
 * anyone's code: it has an origin that nothing else shares, and reaches its own files only.
 */
export const routes = [HttpRouter.route("GET", "/replay/*", serve), HttpRouter.route("OPTIONS", "/replay/*", preflight)]
