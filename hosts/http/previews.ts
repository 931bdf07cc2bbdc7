import { DateTime, Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../core/api/Api.ts"
import {
  FinalizePreviewRequest,
  ReservePreviewRequest,
  toPreviewDeclaration,
  toPreviewList,
  toPreviewMetadata,
  toReserveResponse
} from "../../core/api/previews.ts"
import type { ShareId } from "../../core/model/Preview.ts"
import { Principal } from "../../core/model/ApiKey.ts"
import { pageSize } from "../../core/rules/testRuns.ts"
import { Overview } from "../../core/service/Overview.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Settings } from "../../core/service/Settings.ts"
import { jsonBody } from "./jsonBody.ts"
import { shareLinkHandlers } from "./shareLinks.ts"

/** A page of the list has no more, because each may have thousands of files. */
const mostPreviews = 30

/** The endpoints of docs/interface.md#4.6–4.8, over the service. */
export const layer = HttpApiBuilder.group(
  Api,
  "previews",
  Effect.fnUntraced(function* (handlers) {
    const previews = yield* Previews
    const overview = yield* Overview
    const { url, viewerUrl } = yield* Settings

    const created = <A>(shareId: string, body: A) =>
      HttpApiSchema.withHeaders({ body, headers: { location: `${url}/api/v1/previews/${shareId}` } })
    const { createShareLink, ...links } = (yield* shareLinkHandlers)((id: ShareId) => ({ preview: id }))
    const reserveBody = yield* jsonBody(ReservePreviewRequest)
    const finalizeBody = yield* jsonBody(FinalizePreviewRequest)

    return handlers
      .handleRaw("createShareLink", createShareLink)
      .handleRaw(
        "reserve",
        Effect.fnUntraced(function* (request) {
          const declaration = toPreviewDeclaration(yield* reserveBody(request))
          const ticket = yield* previews.reserve(yield* Principal, declaration, request.headers["idempotency-key"])
          return created(ticket.shareId, toReserveResponse(ticket, declaration.recordings, viewerUrl))
        })
      )
      .handleRaw(
        "finalize",
        Effect.fnUntraced(function* (request) {
          const caller = yield* Principal
          const { token } = yield* finalizeBody(request)
          const preview = yield* previews.finalize(caller, token)
          return created(preview.shareId, toPreviewMetadata(preview, caller.account, viewerUrl, yield* DateTime.now))
        })
      )
      .handleAll({
        ...links,
        read: Effect.fnUntraced(function* ({ params }) {
          const caller = yield* Principal
          const preview = yield* previews.read(caller, params.id)
          return toPreviewMetadata(preview, caller.account, viewerUrl, yield* DateTime.now)
        }),
        list: Effect.fnUntraced(function* ({ query: { cursor: after, limit, ...named } }) {
          const caller = yield* Principal
          yield* overview.repository(caller, named)
          const query = { ...named, after, limit: Math.min(mostPreviews, pageSize(limit)), isTestRun: false } as const
          return toPreviewList(yield* overview.previews(caller, query), viewerUrl)
        }),
        delete: Effect.fnUntraced(function* ({ params }) {
          yield* previews.delete(yield* Principal, params.id)
        })
      })
  })
)
