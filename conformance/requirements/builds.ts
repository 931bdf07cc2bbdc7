import { must } from "./Requirement.ts"
import type { Requirement } from "./Requirement.ts"

/** The sentences about builds, and those about everything as far as they bear on builds. */
export const builds: ReadonlyArray<Requirement> = [
  must(
    "service.stores-bundle",
    "1",
    "The service stores a bundle that the caller produced and registers a hosted build result for it."
  ),
  must("service.three-steps", "1", "Upload is three steps: reserve slots, PUT the bytes to presigned URLs, finalize."),
  must(
    "service.repository-linked",
    "1",
    "Repositories are identified by owner and name and must be linked to the authenticated account."
  ),
  must("builds.reserve.fields", "2.1", "A build reservation takes the fields of the request table in their formats."),
  must(
    "builds.reserve.response",
    "2.2",
    "The reservation answers a short-lived token, slots for the bundle and each declared file, and the stable url."
  ),
  must("builds.finalize.operation", "2.3", "Finalize takes the fixed operation `finalize` and the reservation token."),
  must("builds.row.preview-url", "2.4", "`previewUrl` is present after the replay bundle is ready."),
  must("builds.row.status-and-url", "2.4", "The row has the status fields and the stable hosted build url."),
  must("slots.put-url-and-content-type", "2.5", "A slot has a `putUrl` and the `contentType` to send with the PUT."),
  must("builds.transition.ready", "3", "Finalize by the reserving account makes the build ready."),
  must(
    "builds.transition.same-identity",
    "3",
    "Another upload for the same repository, branch, platform and commit updates the same build."
  ),
  must("builds.reserve.endpoint", "4.1", "POST /api/v1/builds without `operation` reserves."),
  must(
    "builds.put.exact-bytes",
    "4.2",
    "The body of a PUT is the exact declared bytes, with the returned content type."
  ),
  must("builds.finalize.answer", "4.3", "Finalize answers 201 with the ready row, its url and its previewUrl."),
  must(
    "builds.latest.query",
    "4.4",
    "The latest build of a branch is read by owner, repo, branch and platform, which defaults to ios."
  ),
  must("builds.latest.not-linked", "4.4", "The latest build of a repository that is not linked is 404 not_found."),
  must("builds.read.same-shape", "4.5", "A build by its id has the same shape as the latest of a branch."),
  must("builds.read.not-linked", "4.5", "A build by its id of a repository that is not linked is 404 not_found."),
  must("auth.key-resolves", "5", "Requests are authenticated with a key that resolves to an account."),
  must("auth.scope-builds", "5", "The builds endpoints require the scope `builds`."),
  must("auth.finalize-same-account", "5", "The credential that finalizes must resolve to the account that reserved."),
  must("auth.visibility", "5", "Repositories and builds are visible only to the account they belong to."),
  must("errors.not-linked", "7", "A build read for a repository that is not linked is 404 with the code not_found."),
  must("versioning.prefix", "9", "Every endpoint is under the path prefix /api/v1.")
]
