import { must } from "./Requirement.ts"
import type { Requirement } from "./Requirement.ts"

/** The sentences about previews, and those about everything as far as they bear on previews. */
export const previews: ReadonlyArray<Requirement> = [
  must("service.previews-same-flow", "1", "The flow of builds, reserve, PUT and finalize, exists for previews too."),
  must(
    "service.preview-is-hosted-replay",
    "1",
    "A preview is a hosted replay of an uploaded bundle, with files and recording artifacts."
  ),
  must("slots.preview-object-key", "2.5", "A preview's slots have an `objectKey` beside `putUrl` and `contentType`."),
  must(
    "previews.reserve.response",
    "2.6",
    "The reservation answers `shareId`, a short-lived token, and slots for the bundle and each declared file and recording."
  ),
  must("previews.finalize.hosted-url", "2.6", "Finalize answers the hosted URL of the preview."),
  must(
    "previews.metadata.groups",
    "2.6",
    "The metadata has the hosted url, device details, files, recording artifacts, Git provenance and account attribution."
  ),
  must("previews.billing-kind", "2.6", "`billingKind` is a string; `test_run` marks the upload as a billed test run."),
  must(
    "previews.transition.reserved",
    "3",
    "Reserve by a key with the scope `preview_upload` makes an upload reserved."
  ),
  must(
    "previews.transition.hosted",
    "3",
    "Finalize by the reserving account, all declared objects having arrived, makes the preview hosted."
  ),
  must("previews.reserve.endpoint", "4.6", "POST /api/v1/previews reserves."),
  must("previews.reserve.slots", "4.6", "Each slot has `putUrl`, `objectKey` and `contentType`."),
  must(
    "previews.put.exact-bytes",
    "4.6",
    "The body of a PUT is the exact declared bytes, with the returned content type."
  ),
  must(
    "previews.finalize.verifies",
    "4.7",
    "POST /api/v1/previews/finalize verifies that all declared objects arrived."
  ),
  must("previews.finalize.answer", "4.7", "Finalize answers the hosted URL."),
  must(
    "previews.read.own-only",
    "4.8",
    "The metadata is answered only when the preview belongs to the authenticated account."
  ),
  must(
    "previews.read.groups",
    "4.8",
    "The read answers the url, device details, files, recording artifacts, Git provenance and account attribution."
  ),
  must("auth.scope-previews", "5", "The previews endpoints, every step, require the scope `preview_upload`."),
  must(
    "auth.scope-billed-previews",
    "5",
    "A preview request with `billingKind` = `test_run` requires `test_runs` in addition to `preview_upload`."
  ),
  must(
    "auth.preview-finalize-same-account",
    "5",
    "The credential that finalizes a preview must resolve to the account that reserved it."
  ),
  must("auth.preview-visibility", "5", "Previews are visible only to the account they belong to."),
  must("limits.token-short-lived", "8", "The reservation token is short-lived.")
]
