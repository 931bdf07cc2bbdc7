import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ShareId } from "../../core/model/Preview.ts"
import type { PreviewDeclaration } from "../../core/model/Preview.ts"
import { NotFound } from "../../core/model/Problem.ts"
import { requestedRange } from "../../core/rules/ranges.ts"
import { Previews } from "../../core/service/Previews.ts"
import { forAccountOrKey } from "./account.ts"
import { Capabilities, objectsPath } from "./capability.ts"
import { pathOf } from "./entry.ts"
import { goTo } from "./goTo.ts"
import { previewObject } from "./hosted.ts"
import { Site } from "./site.ts"
import { objectHeaders } from "./replayPolicy.ts"
import { sendObject } from "./sendObject.ts"

// The URLs as they were sent: the router reads paths without regard to case and cuts them at a semicolon.
const place = String.raw`(bundle|files/[^?#]+|recordings/(?:0|[1-9]\d{0,8}))(?:[?#]|$)`
const lastingForm = new RegExp(String.raw`^/previews/([^/?#]{1,128})/${place}`)
const capabilityForm = new RegExp(String.raw`^/preview-objects/([\w-]+\.[\w-]+)/${place}`)

/** The object of a preview at a place of a URL: `bundle`, `files/` and the file's path, `recordings/` and its index. */
const objectAt = (declaration: PreviewDeclaration, place: string): string | undefined => {
  if (place === "bundle") return previewObject(declaration, undefined)
  if (place.startsWith("recordings/")) {
    const index = Number(place.slice("recordings/".length))
    return index < declaration.recordings.length ? `recordings/${index}` : undefined
  }
  const path = pathOf(place.slice("files/".length))
  return path === undefined ? undefined : previewObject(declaration, path)
}

/** Leads from the lasting URL of an object to one that opens it for an hour. The bytes never come from here. */
const lead = forAccountOrKey(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const [, id, place] = lastingForm.exec(url) ?? []
    if (id === undefined || place === undefined) return yield* NotFound.answer
    const previews = yield* Previews
    const preview = ShareId.make(id)
    const { declaration, hostedPrefix } = yield* previews.read(caller, preview)
    if (hostedPrefix === undefined || objectAt(declaration, place) === undefined) return yield* NotFound.answer
    const capabilities = yield* Capabilities
    const name = yield* capabilities.issue({
      account: caller.account.id,
      opens: { preview },
      by: { key: caller.keyId }
    })
    return goTo(yield* Site, objectsPath(name) + place)
  })
)

/** An object as it was uploaded, for who holds a capability of its preview. */
const serve = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const [, name, place] = capabilityForm.exec(request.url) ?? []
  if (name === undefined || place === undefined) return yield* NotFound.answer
  const headers = objectHeaders(yield* Site, request, name)
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

  const capabilities = yield* Capabilities
  const { account, opens } = yield* capabilities.check(name)
  if (!("preview" in opens)) return yield* NotFound.answer
  const previews = yield* Previews
  const reader = { account: { id: account } }
  const { declaration } = yield* previews.read(reader, opens.preview)
  const object = objectAt(declaration, place)
  if (object === undefined) return yield* NotFound.answer
  const range = requestedRange(request.headers)
  return sendObject(yield* previews.open(reader, opens.preview, { name: object, range }), range !== undefined)
})

/** The objects of a preview: their lasting URLs, for the account that owns them, and the URLs these lead to. */
export const routes = [
  HttpRouter.route("GET", "/previews/:id/bundle", lead),
  HttpRouter.route("GET", "/previews/:id/files/*", lead),
  HttpRouter.route("GET", "/previews/:id/recordings/:index", lead),
  HttpRouter.route("GET", "/preview-objects/*", serve)
]
