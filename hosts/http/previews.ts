import { DateTime, Effect } from "effect"
import {
  FinalizePreviewRequest,
  PreviewsGroup,
  ReservePreviewRequest,
  toPreviewDeclaration,
  toPreviewList,
  toPreviewMetadata,
  toReserveResponse
} from "../../core/api/previews.ts"
import type { ShareId } from "../../core/model/Preview.ts"
import { pageSize } from "../../core/rules/testRuns.ts"
import { Overview } from "../../core/service/Overview.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Settings } from "../../core/service/Settings.ts"
import { decoded } from "../../core/service/withInput.ts"
import { created, endpoints } from "./endpoints.ts"
import { jsonBody } from "./jsonBody.ts"
import { shareLinkHandlers } from "./shareLinks.ts"

/** A page of the list has no more, because each may have thousands of files. */
const maxPreviews = 30

/** The endpoints of docs/interface.md#4.6–4.8, over the service. */
export const layer = endpoints(
  PreviewsGroup,
  Effect.gen(function* () {
    const previews = yield* Previews
    const overview = yield* Overview
    const { url, viewerUrl } = yield* Settings
    const links = (yield* shareLinkHandlers)((id: ShareId) => ({ preview: id }))
    const reserveBody = yield* jsonBody(ReservePreviewRequest)
    const finalizeBody = yield* jsonBody(FinalizePreviewRequest)
    const addressOf = (shareId: string) => `${url}/api/v1/previews/${shareId}`

    return {
      ...links,
      reserve: Effect.fnUntraced(function* (request) {
        const declaration = decoded(toPreviewDeclaration(yield* reserveBody(request)))
        const ticket = yield* previews.reserve(request.caller, declaration, request.headers["idempotency-key"])
        return created(toReserveResponse(ticket, declaration.recordings, viewerUrl), addressOf(ticket.shareId))
      }),
      finalize: Effect.fnUntraced(function* (request) {
        const { account } = request.caller
        const { token } = yield* finalizeBody(request)
        const preview = yield* previews.finalize(request.caller, token)
        const body = toPreviewMetadata(preview, account, viewerUrl, yield* DateTime.now)
        return created(body, addressOf(preview.shareId))
      }),
      read: Effect.fnUntraced(function* ({ caller, params }) {
        const preview = yield* previews.read(caller, params.id)
        return toPreviewMetadata(preview, caller.account, viewerUrl, yield* DateTime.now)
      }),
      list: Effect.fnUntraced(function* ({ caller, query: { cursor: after, limit, ...named } }) {
        yield* overview.repository(caller, named)
        const query = { ...named, after, limit: Math.min(maxPreviews, pageSize(limit)), isTestRun: false } as const
        return toPreviewList(yield* overview.previews(caller, query), viewerUrl)
      }),
      delete: ({ caller, params }) => previews.delete(caller, params.id)
    }
  })
)
