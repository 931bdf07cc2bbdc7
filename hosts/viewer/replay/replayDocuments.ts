import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound, UrlRefused } from "../../../core/model/Problem.ts"
import { beginning } from "../content/beginning.ts"
import { noteOwner } from "../../http/accessNotes.ts"
import { Capabilities } from "../access/capability.ts"
import { bundleHeaders, entryPath, pathOf, relativeUrl } from "../content/entry.ts"
import { fetchDestination } from "../content/fetchDestination.ts"
import { hosted } from "../content/hosted.ts"
import { isNative, sniffBytes, unsupportedFormat } from "../../../core/rules/bundleFormat.ts"
import { indexDocument, obstacleDocument } from "./indexDocument.ts"
import { frameScriptUrl } from "./frameScriptUrl.ts"
import { frameScriptAt, sendFrameScript } from "./frameScripts.ts"
import { preflight } from "../content/preflight.ts"
import { replayHeaders } from "../content/contentPolicy.ts"
import { Assets } from "../ui/assets.ts"
import { rangeOf, sendObject } from "../content/sendObject.ts"
import { Site } from "../access/site.ts"

// The raw URL: the router ignores case in paths and cuts them at a semicolon.
const form = /^\/replay\/([\w-]+\.[\w-]+)\/([^?#]*)/

/** The URL of an HTTP archive among the recordings, relative to the document. */
const archiveUrl = (index: number): string => `./?archive=${index}`
const archiveForm = /\/\?archive=(\d{1,9})$/

const onPagesOnly = new UrlRefused({ detail: "Uploaded apps run on a page of the viewer. Open that page." })

/** The index document, the bundle or a file of something ready, for a holder of its capability. */
const serve = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const site = yield* Site
  const [, name, rest = ""] = form.exec(request.url) ?? []
  if (name === undefined) return yield* NotFound.answer
  const headers = replayHeaders(site, request, name)
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

  // Opened as a page it could imitate one of the viewer's, and send its data anywhere by navigating.
  const destination = fetchDestination(request)
  if (destination === "document") return yield* onPagesOnly
  const capabilities = yield* Capabilities
  const { account, opens } = yield* capabilities.check(name)
  yield* noteOwner(account)
  const { archives, entry, open, title, validator } = yield* hosted(account, opens)
  const script = entryPath(entry)
  if (rest === "" && destination !== "iframe") {
    const asked = frameScriptAt(request.url)
    if (asked !== undefined) return yield* sendFrameScript(asked)
    const [, archiveIndex] = archiveForm.exec(request.url) ?? []
    const archive = archives.find(({ index }) => String(index) === archiveIndex)
    if (archive !== undefined) {
      return sendObject(yield* archive.open, { range: undefined, name: archive.name, destination })
    }
  }
  if (rest === "") {
    // If the browser doesn't say what it requests the document for, the document runs the bundle only in a frame.
    if (destination !== undefined && destination !== "iframe") return yield* onPagesOnly
    const bridge = (yield* Assets).textOf("bridge")
    const start = yield* beginning((range) => open({ range }), sniffBytes)
    const why = start.isPlain ? unsupportedFormat(start.bytes) : undefined
    return why === undefined
      ? indexDocument({
          title,
          bridge,
          script: relativeUrl(script),
          phone: start.isPlain && isNative(start.bytes) ? frameScriptUrl("phone") : undefined,
          archives: archives.map(({ index, name }) => ({ name, url: archiveUrl(index) }))
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
 * The documents of a running build or preview. Their URLs work for an hour without a session. The code in them is
 * untrusted, so it has an opaque origin and can reach only its own files.
 */
export const routes = [HttpRouter.route("GET", "/replay/*", serve), HttpRouter.route("OPTIONS", "/replay/*", preflight)]
