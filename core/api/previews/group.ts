import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { isId } from "../../model/Id.ts"
import { ShareId } from "../../model/Preview.ts"
import {
  IdempotencyConflict,
  InsufficientScope,
  NotFound,
  PreviewNotReady,
  QuotaExceeded,
  RateLimited,
  ReservationExpired,
  UploadIncomplete
} from "../../model/Problem.ts"
import { protect } from "../parts/protect.ts"
import { CrossFieldIssues } from "../parts/crossFieldIssues.ts"
import { repeatedFilePaths } from "../parts/repeatedFilePaths.ts"
import { deletion } from "../parts/deletion.ts"
import { idempotencyHeader } from "../parts/idempotencyHeader.ts"
import { shareLinkEndpoints } from "../shareLinks/endpoints.ts"
import { FinalizePreviewRequest, listPreviewsQuery, ReservePreviewRequest } from "./requests.ts"
import { PreviewList, PreviewMetadata, ReservePreviewResponse } from "./responses.ts"

const previewParam = ShareId.check(isId("must be a share id"))

const created = <S extends Schema.Top>(schema: S) =>
  HttpApiSchema.WithHeaders(schema.pipe(HttpApiSchema.status(201)), { location: Schema.String })

const reserve = HttpApiEndpoint.post("reserve", "/", {
  headers: idempotencyHeader,
  payload: ReservePreviewRequest,
  success: created(ReservePreviewResponse),
  error: [NotFound, InsufficientScope, IdempotencyConflict, RateLimited, QuotaExceeded]
})
  .annotateMerge(OpenApi.annotations({ summary: "Reserve a preview's upload slots" }))
  .annotate(CrossFieldIssues, repeatedFilePaths)

const finalize = HttpApiEndpoint.post("finalize", "/finalize", {
  payload: FinalizePreviewRequest,
  success: created(PreviewMetadata),
  error: [NotFound, ReservationExpired, UploadIncomplete]
}).annotateMerge(OpenApi.annotations({ summary: "Verify what was uploaded and host the preview" }))

const read = HttpApiEndpoint.get("read", "/:id", {
  params: { id: previewParam },
  success: PreviewMetadata,
  error: NotFound
}).annotateMerge(OpenApi.annotations({ summary: "Read a preview's metadata" }))

const list = HttpApiEndpoint.get("list", "/", {
  query: listPreviewsQuery,
  success: PreviewList,
  error: NotFound
}).annotateMerge(
  OpenApi.annotations({
    summary: "List the previews of a repository",
    description:
      "An extension of the interface. Those that are ready, newest first, without those of test runs (`billingKind` `test_run`). `limit` defaults to 20 and is clamped to 1–30.",
    override: { "x-slipway-extension": true }
  })
)

const shareLinks = shareLinkEndpoints(previewParam, {
  what: "a preview",
  scopes: ["preview_upload"],
  refusals: [NotFound, PreviewNotReady]
})

/** @see docs/interface.md#4.6–4.8 */
export class PreviewsGroup extends protect(
  ["preview_upload"],
  HttpApiGroup.make("previews")
    .add(reserve, finalize, read, list, deletion(previewParam, "a preview", "preview_upload"), ...shareLinks)
    .prefix("/api/v1/previews")
) {}
