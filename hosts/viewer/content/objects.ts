import { Effect } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { ShareId } from "../../../core/model/Preview.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { forAccountOrKey } from "../session/account.ts"
import { noteOwner } from "../../http/requestContext.ts"
import { Capabilities, objectsPath, rightOf } from "../access/capability.ts"
import { goTo, Site } from "../access/site.ts"
import { fetchDestination, preflight, rangeOf, sendObject, validatorOf } from "./sendObject.ts"
import { isShown, objectAt, refForm, refIn, refPath } from "./hosted.ts"
import { objectHeaders } from "./contentPolicy.ts"

// These routes match the raw URL: the router ignores case in paths and cuts them at a semicolon.
const lastingForm = new RegExp(String.raw`^/previews/([^/?#]{1,128})/${refForm}`)
const capabilityForm = new RegExp(String.raw`^/preview-objects/([\w-]+\.[\w-]+)/${refForm}`)

/**
 * Redirects from the permanent URL of an object to one that opens it for an hour. The permanent URL itself serves no
 * bytes.
 */
const lead = forAccountOrKey(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const [, id, ...found] = lastingForm.exec(url) ?? []
    const ref = refIn(found)
    if (id === undefined || ref === undefined) return yield* NotFound.default
    const previews = yield* Previews
    const preview = ShareId.make(id)
    const { declaration, hostedPrefix } = yield* previews.read(caller, preview)
    if (hostedPrefix === undefined || objectAt(declaration, ref) === undefined) return yield* NotFound.default
    const capabilities = yield* Capabilities
    const name = yield* capabilities.issue({ opens: { objectsOf: preview }, by: rightOf(caller) })
    const { content } = yield* Site
    return goTo({ base: content.prefix }, objectsPath(name) + refPath(ref))
  })
)

/** An uploaded object, for a holder of a capability of its preview or build. */
const serve = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const [, capability, ...found] = capabilityForm.exec(request.url) ?? []
  if (capability === undefined) return yield* NotFound.default
  const headers = objectHeaders(yield* Site, request, capability)
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )

  const capabilities = yield* Capabilities
  const { account, opens, shared } = yield* capabilities.check(capability)
  yield* noteOwner(account)
  const ref = refIn(found)
  if (ref === undefined) return yield* NotFound.default
  if ("filesOf" in opens) {
    if (ref.kind !== "file") return yield* NotFound.default
    const range = rangeOf(request)
    const builds = yield* Builds
    const file = yield* builds.open({ account: { id: account } }, opens.filesOf, { path: ref.path, range })
    return sendObject(file, { name: ref.path, range, destination: fetchDestination(request) })
  }
  if (!("objectsOf" in opens)) return yield* NotFound.default
  if (shared !== undefined && !isShown(shared, ref)) return yield* NotFound.default
  const previews = yield* Previews
  const preview = yield* previews.read({ account: { id: account } }, opens.objectsOf)
  const { declaration, hostedPrefix } = preview
  const placed = objectAt(declaration, ref)
  if (hostedPrefix === undefined || placed === undefined) return yield* NotFound.default
  const { name, object } = placed
  const validator = validatorOf(hostedPrefix + object)
  const range = rangeOf(request, validator)
  const opened = yield* previews.openIn(preview, { name: object, range })
  return sendObject(opened, { name, range, validator, destination: fetchDestination(request) })
})

/**
 * The objects of a preview: their permanent URLs, for the account that owns them, and the URLs to which these redirect.
 */
export const routes = [
  HttpRouter.route("GET", "/previews/:id/bundle", lead),
  HttpRouter.route("GET", "/previews/:id/files/*", lead),
  HttpRouter.route("GET", "/previews/:id/recordings/:index", lead),
  HttpRouter.route("GET", "/preview-objects/*", serve),
  HttpRouter.route("OPTIONS", "/preview-objects/*", preflight)
]
