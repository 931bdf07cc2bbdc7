import { Duration, Effect, Schema } from "effect"
import { CreateShareLinkRequest, toCreateShareLinkResponse, toShareLinkList } from "../../core/api/shareLinks.ts"
import type { Caller } from "../../core/model/ApiKey.ts"
import type { Resource, ShareLinkId } from "../../core/model/Resource.ts"
import { Settings } from "../../core/service/Settings.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import { jsonBody, type Undecoded } from "./jsonBody.ts"

/** The endpoints for the share links of previews or of runs, over the service. */
export const shareLinkHandlers = Effect.gen(function* () {
  const links = yield* ShareLinks
  const { viewerUrl } = yield* Settings
  const bodyOf = yield* jsonBody(Schema.Union([CreateShareLinkRequest, Schema.Null]))

  return <Id>(shared: (id: Id) => Resource) => ({
    createShareLink: Effect.fnUntraced(function* (
      request: Undecoded & { readonly caller: Caller; readonly params: { readonly id: Id } }
    ) {
      const { expiresInSeconds } = (yield* bodyOf(request)) ?? {}
      const life = expiresInSeconds === undefined ? undefined : Duration.seconds(expiresInSeconds)
      return toCreateShareLinkResponse(yield* links.create(request.caller, shared(request.params.id), life), viewerUrl)
    }),
    listShareLinks: Effect.fnUntraced(function* (request: {
      readonly caller: Caller
      readonly params: { readonly id: Id }
      readonly query: { readonly cursor?: ShareLinkId }
    }) {
      return toShareLinkList(yield* links.list(request.caller, shared(request.params.id), request.query.cursor))
    }),
    revokeShareLink: Effect.fnUntraced(function* (request: {
      readonly caller: Caller
      readonly params: { readonly id: Id; readonly link: ShareLinkId }
    }) {
      yield* links.revoke(request.caller, shared(request.params.id), request.params.link)
    })
  })
})
