import { derived, must, unseen, type Requirement } from "./Requirement.ts"

/** The checks of drawn sequences. */
const drawn = ["builds.drawn.1", "builds.drawn.2", "builds.drawn.3", "builds.drawn.4"]

const notLinkedReads = ["builds.latest.unlinked", "builds.latest.foreign", "builds.read.foreign"]

/** The sentences about builds, and those about everything as far as they bear on builds. */
export const builds: ReadonlyArray<Requirement> = [
  must("service.base-url", "1", "All paths are relative to the base URL.", ["builds.finalize.created"]),
  must(
    "service.stores-bundle",
    "1",
    "The service stores a bundle that the caller produced and registers a hosted build result for it.",
    ["builds.finalize.created", "builds.latest.url"]
  ),
  unseen(
    "service.never-builds",
    "1",
    "The service never starts a build and never dispatches a CI workflow.",
    "What the service does elsewhere is in none of its answers."
  ),
  must("service.three-steps", "1", "Upload is three steps: reserve slots, PUT the bytes to presigned URLs, finalize.", [
    "builds.finalize.created",
    "builds.files"
  ]),
  must("service.account-tied", "1", "Every resource is tied to an authenticated account.", [
    ...drawn,
    "builds.latest.foreign",
    "builds.read.foreign"
  ]),
  must(
    "service.repository-linked",
    "1",
    "Repositories are identified by owner and name and must be linked to the authenticated account.",
    [...drawn]
  ),
  must(
    "builds.reserve.fields",
    "2.1",
    "A build reservation accepts the fields of the request table in their formats.",
    ["builds.reserve.formats", "builds.files"]
  ),
  must(
    "builds.reserve.repository-belongs",
    "2.1",
    "The repository of a reservation must belong to the authenticated account.",
    [...drawn]
  ),
  must("builds.reserve.content-hash", "2.1", "`contentHash` is the SHA-256 of the uncompressed bundle.", [
    "builds.finalize.created"
  ]),
  must(
    "builds.reserve.response",
    "2.2",
    "The reservation returns a short-lived token, slots for the bundle and each declared file, and the stable url.",
    ["builds.reserve.url", "builds.files", "builds.files.empty", ...drawn]
  ),
  must("builds.reserve.stable-url", "2.2", "The url that a reservation returns is the stable hosted build url.", [
    "builds.reserve.url"
  ]),
  unseen(
    "builds.reserve.token-short-lived",
    "2.2",
    "The token of a build reservation is short-lived.",
    "How long it lives is not shown, so no time that a run could wait would be long enough."
  ),
  derived(
    "builds.reserve.token-expires",
    "2.2",
    "After the lifetime that the implementation states, the token of a build reservation no longer finalizes.",
    ["2.2", "8"],
    ["builds.finalize.expired"]
  ),
  must(
    "builds.finalize.operation",
    "2.3",
    "A finalize request has the fixed operation `finalize` and the reservation token.",
    [...drawn]
  ),
  must("builds.row.preview-url", "2.4", "`previewUrl` is present after the replay bundle is ready.", [
    "builds.finalize.preview-url",
    "builds.latest.preview-url",
    ...drawn
  ]),
  must("builds.row.status-and-url", "2.4", "The row has the status fields and the stable hosted build url.", [
    "builds.finalize.status",
    "builds.latest.status-fields",
    "builds.reserve.url",
    "builds.latest.url"
  ]),
  derived(
    "builds.row.absolute-urls",
    "2.4",
    "The url and the previewUrl of a build are absolute.",
    ["2.4"],
    ["builds.finalize.absolute-urls"]
  ),
  must("slots.put-url-and-content-type", "2.5", "A slot has a `putUrl` and the `contentType` to send with the PUT.", [
    "builds.slots.content-type",
    "builds.files"
  ]),
  derived(
    "slots.presigned",
    "2.5",
    "A `putUrl` is presigned: the receiver of the PUT checks the signature, and requires no key.",
    ["1", "2.5"],
    ["builds.put.altered-signature", "builds.put.other-signature", "builds.put.unsigned", "builds.files"]
  ),
  derived(
    "slots.signed-for-one-put",
    "2.5",
    "A presigned URL is valid only for the signed PUT: its method, object, time, content type and length.",
    ["2.5", "4.2"],
    [
      "builds.put.as-get",
      "builds.put.as-post",
      "builds.put.as-delete",
      "builds.put.altered-key",
      "builds.put.altered-expiry",
      "builds.put.altered-type",
      "builds.put.altered-length",
      "builds.put.expired"
    ]
  ),
  must(
    "builds.transition.reserved",
    "3",
    "A reservation for a repository that belongs to the account returns token, slots and the stable url.",
    ["builds.reserve.url", "builds.files", ...drawn]
  ),
  must("builds.transition.ready", "3", "Finalize by the reserving account makes the build ready.", [
    "builds.finalize.created",
    "builds.finalize.foreign-account",
    "builds.finalize.early",
    "builds.latest.preview-url",
    ...drawn
  ]),
  must(
    "builds.transition.same-identity",
    "3",
    "Another upload for the same repository, branch, platform and commit updates the same build.",
    [...drawn]
  ),
  must(
    "builds.transition.other-identity",
    "3",
    "An upload for another repository, branch, platform or commit is another build.",
    [...drawn]
  ),
  derived(
    "builds.transition.stays-ready",
    "3",
    "A ready build is updated by reserve and finalize, and by nothing else.",
    ["3", "4.3"],
    ["builds.finalize.again", "builds.put.after-finalize"]
  ),
  must("builds.bodies.json", "4", "The bodies of the builds endpoints are JSON.", [
    "builds.finalize.created",
    "builds.latest.url",
    "builds.read.url"
  ]),
  must("builds.reserve.endpoint", "4.1", "POST /api/v1/builds without `operation` reserves.", ["builds.reserve.url"]),
  must("builds.put.each-slot", "4.2", "Each returned `putUrl` accepts a PUT.", [
    "builds.files",
    "builds.files.empty",
    "builds.put.large",
    ...drawn
  ]),
  must(
    "builds.put.exact-bytes",
    "4.2",
    "The body of a PUT is the exact declared bytes, with the returned content type.",
    ["builds.put.shorter", "builds.put.empty", "builds.put.longer", ...drawn]
  ),
  derived(
    "builds.put.nothing-else",
    "4.2",
    "Bytes whose digest differs from the declared one, or whose content type differs from that of the slot, don't become the build.",
    ["2.1", "4.2"],
    ["builds.put.other-bytes", "builds.put.other-bytes-of-update", "builds.put.other-type"]
  ),
  must("builds.finalize.answer", "4.3", "Finalize returns 201 with the ready row, its url and its previewUrl.", [
    "builds.finalize.created",
    "builds.finalize.preview-url",
    "builds.finalize.status",
    "builds.reserve.url",
    ...drawn
  ]),
  must(
    "builds.latest.query",
    "4.4",
    "The latest build of a branch is read by owner, repo, branch and platform, which defaults to ios.",
    [...drawn]
  ),
  must(
    "builds.latest.answer",
    "4.4",
    "The latest build has the status fields, the stable url, and previewUrl once the replay bundle is ready.",
    [
      "builds.latest.url",
      "builds.latest.preview-url",
      "builds.latest.status-fields",
      "builds.latest.no-early-preview-url",
      ...drawn
    ]
  ),
  derived(
    "builds.latest.no-early-preview-url",
    "4.4",
    "A build whose replay bundle isn't ready has no previewUrl.",
    ["2.4", "4.4"],
    ["builds.latest.no-early-preview-url"]
  ),
  must(
    "builds.latest.not-linked",
    "4.4",
    "A read of the latest build returns 404 not_found if the repository is not linked.",
    ["builds.latest.unlinked", "builds.latest.foreign", ...drawn]
  ),
  must(
    "builds.read.same-shape",
    "4.5",
    "A build that is read by its id has the same shape as the latest build of a branch.",
    ["builds.read.url", "builds.read.same-shape", ...drawn]
  ),
  must(
    "builds.read.not-linked",
    "4.5",
    "A read of a build by its id returns 404 not_found if the repository is not linked.",
    ["builds.read.foreign", ...drawn]
  ),
  must("auth.key-resolves", "5", "Requests are authenticated with a key that resolves to an account.", [
    ...drawn,
    "builds.key.read"
  ]),
  must("auth.scope-builds", "5", "The builds endpoints require the scope `builds`.", [
    ...drawn,
    "builds.finalize.elsewhere"
  ]),
  must("auth.finalize-same-account", "5", "The credential that finalizes must resolve to the account that reserved.", [
    "builds.finalize.foreign-account",
    ...drawn,
    "builds.key.read"
  ]),
  must("auth.visibility", "5", "Repositories and builds are visible only to the account they belong to.", [
    ...drawn,
    "builds.latest.foreign",
    "builds.read.foreign"
  ]),
  must(
    "errors.not-linked",
    "7",
    "A read of a build returns 404 with the code not_found if the repository is not linked.",
    notLinkedReads
  ),
  derived(
    "errors.mistakes",
    "7",
    "The response to an invalid request to a builds endpoint is not a server error (5xx).",
    ["7"],
    [
      "builds.mistakes.reserve",
      "builds.mistakes.body",
      "builds.mistakes.finalize-incomplete",
      "builds.mistakes.read",
      "builds.mistakes.gzip"
    ]
  ),
  must("versioning.prefix", "9", "Every endpoint is under the path prefix /api/v1.", [
    "builds.reserve.url",
    "builds.finalize.created",
    "builds.latest.url",
    "builds.read.url",
    "previews.finalize.hosted-url",
    "runs.register.stored"
  ])
]
