import { derived, must, unseen, type Requirement } from "./Requirement.ts"

/** The checks of drawn sequences. */
const drawn = ["previews.drawn.1", "previews.drawn.2", "previews.drawn.3", "previews.drawn.4"]

const metadataGroups = [
  "previews.metadata.url",
  "previews.metadata.device",
  "previews.metadata.files",
  "previews.metadata.recordings",
  "previews.metadata.git",
  "previews.metadata.account"
]

/** The sentences about previews, and those about everything as far as they bear on previews. */
export const previews: ReadonlyArray<Requirement> = [
  must("service.previews-same-flow", "1", "The flow of builds, reserve, PUT and finalize, exists for previews too.", [
    "previews.finalize.all-objects",
    "previews.put.large"
  ]),
  must(
    "service.preview-is-hosted-replay",
    "1",
    "A preview is a hosted replay of an uploaded bundle, with files and recording artifacts.",
    ["previews.finalize.hosted-url", "previews.metadata.files", "previews.metadata.recordings"]
  ),
  must("service.preview-of-account", "1", "Every preview is tied to an authenticated account.", [
    ...drawn,
    "previews.metadata.account"
  ]),
  derived(
    "service.preview-repository-linked",
    "1",
    "The repository in a preview's Git provenance is linked to the account.",
    ["1"],
    ["previews.reserve.foreign-repository"]
  ),
  must("slots.preview-object-key", "2.5", "A preview's slots have an `objectKey` beside `putUrl` and `contentType`.", [
    "previews.slots.object-key",
    "previews.slots.content-type"
  ]),
  derived(
    "slots.preview-presigned",
    "2.5",
    "The `putUrl` of a preview's slot is presigned: the receiver of the PUT checks the signature, and requires no key.",
    ["1", "2.5"],
    [
      "previews.put.altered-signature",
      "previews.put.other-signature",
      "previews.put.unsigned",
      "previews.finalize.all-objects"
    ]
  ),
  derived(
    "slots.preview-signed-for-one-put",
    "2.5",
    "A presigned URL of a preview is valid only for the signed PUT: its method, object, time, content type and length.",
    ["2.5", "4.6"],
    [
      "previews.put.as-get",
      "previews.put.as-post",
      "previews.put.as-delete",
      "previews.put.altered-key",
      "previews.put.altered-expiry",
      "previews.put.altered-type",
      "previews.put.altered-length",
      "previews.put.expired"
    ]
  ),
  must(
    "previews.reserve.response",
    "2.6",
    "The reservation returns `shareId`, a short-lived token, and slots for the bundle and each declared file and recording.",
    ["previews.reserve.answer", "previews.reserve.same-content", "previews.files.empty", ...drawn]
  ),
  must("previews.finalize.hosted-url", "2.6", "Finalize returns the hosted URL of the preview.", [
    "previews.finalize.hosted-url",
    ...drawn
  ]),
  must(
    "previews.metadata.groups",
    "2.6",
    "The metadata has the hosted url, device details, files, recording artifacts, Git provenance and account attribution.",
    [...metadataGroups, ...drawn]
  ),
  derived(
    "previews.metadata.every-file",
    "2.6",
    "The metadata has every declared file and every declared recording.",
    ["2.6", "4.8"],
    ["previews.metadata.every-file", "previews.metadata.every-recording"]
  ),
  must("previews.billing-kind", "2.6", "`billingKind` is a string; `test_run` marks the upload as a billed test run.", [
    "previews.billed.both-scopes",
    "previews.billed.without-test-runs"
  ]),
  unseen(
    "previews.billed",
    "2.6",
    "An upload whose `billingKind` is `test_run` is billed as a test run.",
    "No endpoint shows what is billed: the value shows by the scope that it needs, and by nothing else."
  ),
  must(
    "previews.transition.reserved",
    "3",
    "Reserve by a key with the scope `preview_upload` makes an upload reserved.",
    [...drawn]
  ),
  must(
    "previews.transition.hosted",
    "3",
    "If all declared objects have arrived, finalize by the reserving account makes the preview hosted.",
    ["previews.finalize.all-objects", "previews.finalize.early", "previews.finalize.foreign-account", ...drawn]
  ),
  derived(
    "previews.transition.stays-hosted",
    "3",
    "Neither a PUT to one of its slots nor another finalize changes a hosted preview.",
    ["3", "4.7"],
    ["previews.finalize.again", "previews.put.after-finalize"]
  ),
  must("previews.reserve.endpoint", "4.6", "POST /api/v1/previews reserves.", ["previews.reserve.answer"]),
  must("previews.reserve.slots", "4.6", "Each slot has `putUrl`, `objectKey` and `contentType`.", [
    "previews.reserve.answer",
    "previews.slots.object-key",
    "previews.slots.content-type",
    ...drawn
  ]),
  must(
    "previews.put.exact-bytes",
    "4.6",
    "The body of a PUT is the exact declared bytes, with the returned content type.",
    ["previews.finalize.all-objects", "previews.put.shorter", "previews.put.empty", "previews.put.longer", ...drawn]
  ),
  derived(
    "previews.put.nothing-else",
    "4.6",
    "Bytes whose digest differs from the declared one, or whose content type differs from that of the slot, don't become the preview.",
    ["2.5", "4.6"],
    ["previews.put.other-bytes", "previews.put.other-type"]
  ),
  must(
    "previews.finalize.verifies",
    "4.7",
    "POST /api/v1/previews/finalize verifies that all declared objects arrived.",
    [...drawn]
  ),
  must("previews.finalize.answer", "4.7", "Finalize returns the hosted URL.", [
    "previews.finalize.hosted-url",
    ...drawn
  ]),
  must(
    "previews.read.own-only",
    "4.8",
    "The metadata is returned only when the preview belongs to the authenticated account.",
    ["previews.read.foreign", "previews.read.unknown", ...drawn]
  ),
  must(
    "previews.read.groups",
    "4.8",
    "The read returns the url, device details, files, recording artifacts, Git provenance and account attribution.",
    [...metadataGroups, ...drawn]
  ),
  must(
    "auth.preview-key-resolves",
    "5",
    "Requests about previews are authenticated with a key that resolves to an account.",
    [...drawn, "previews.key.read"]
  ),
  must("auth.scope-previews", "5", "Every step of the previews endpoints requires the scope `preview_upload`.", [
    "previews.finalize.elsewhere",
    ...drawn,
    "previews.key.read"
  ]),
  must(
    "auth.scope-billed-previews",
    "5",
    "A preview request with `billingKind` = `test_run` requires `test_runs` in addition to `preview_upload`.",
    [
      "previews.billed.both-scopes",
      "previews.billed.without-test-runs",
      "previews.billed.without-preview-upload",
      ...drawn
    ]
  ),
  must(
    "auth.preview-finalize-same-account",
    "5",
    "The credential that finalizes a preview must resolve to the account that reserved it.",
    ["previews.finalize.foreign-account", ...drawn]
  ),
  must("auth.preview-visibility", "5", "Previews are visible only to the account they belong to.", [
    "previews.read.foreign",
    "previews.reserve.same-content"
  ]),
  derived(
    "errors.preview-mistakes",
    "7",
    "The response to an invalid request to a previews endpoint is not a server error (5xx).",
    ["7"],
    ["previews.mistakes.reserve", "previews.mistakes.body", "previews.mistakes.read", "previews.mistakes.gzip"]
  ),
  derived(
    "limits.token-expires",
    "8",
    "After the lifetime that the implementation states, the token of a preview no longer finalizes.",
    ["2.6", "8"],
    ["previews.finalize.expired"]
  ),
  unseen(
    "limits.token-short-lived",
    "8",
    "The reservation token is short-lived.",
    "How long it lives is not shown, so there is no time after which a token that still works is wrong."
  )
]
