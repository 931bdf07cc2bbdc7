import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BuildId, Platform } from "../../model/Build.ts"
import {
  IdempotencyConflict,
  NotFound,
  QuotaExceeded,
  RateLimited,
  ReservationExpired,
  UploadIncomplete
} from "../../model/Problem.ts"
import { AppName } from "../../model/ciDetails.ts"
import { isId } from "../../model/Id.ts"
import { OwnerName, RepoName } from "../../model/Repository.ts"
import { Name } from "../../model/Text.ts"
import { protect } from "../parts/protect.ts"
import { CrossFieldIssues } from "../parts/crossFieldIssues.ts"
import { repeatedFilePaths } from "../parts/repeatedFilePaths.ts"
import { deletion } from "../parts/deletion.ts"
import { idempotencyHeader } from "../parts/idempotencyHeader.ts"
import { shareLinkEndpoints } from "../shareLinks/endpoints.ts"
import { BuildsRequest } from "./requests.ts"
import { BuildRow, ReserveBuildResponse } from "./responses.ts"

const post = HttpApiEndpoint.post("post", "/", {
  headers: idempotencyHeader,
  payload: BuildsRequest,
  success: HttpApiSchema.WithHeaders(Schema.Union([ReserveBuildResponse, BuildRow]).pipe(HttpApiSchema.status(201)), {
    location: Schema.String
  }),
  error: [NotFound, ReservationExpired, UploadIncomplete, IdempotencyConflict, RateLimited, QuotaExceeded]
})
  .annotateMerge(
    OpenApi.annotations({
      summary: "Reserve or finalize a build",
      description:
        'Without `operation`, reserves upload slots for a build. With `"operation": "finalize"`, verifies what ' +
        "was uploaded and makes the build ready."
    })
  )
  .annotate(CrossFieldIssues, repeatedFilePaths)

const latest = HttpApiEndpoint.get("latest", "/", {
  query: {
    owner: OwnerName,
    repo: RepoName,
    branch: Name,
    platform: Platform.pipe(Schema.withDecodingDefaultKey(Effect.succeed("ios" as const))),
    app: Schema.optionalKey(AppName.annotate({ description: "Only builds of this app; without it, of all." }))
  },
  success: BuildRow,
  error: NotFound
}).annotateMerge(OpenApi.annotations({ summary: "Read the latest build of a branch" }))

const buildParam = BuildId.check(isId("must be an id"))

const read = HttpApiEndpoint.get("read", "/:id", {
  params: { id: buildParam },
  success: BuildRow,
  error: NotFound
}).annotateMerge(OpenApi.annotations({ summary: "Read a build by its id" }))

const shareLinks = shareLinkEndpoints(buildParam, { what: "a build", scopes: ["builds"], refusals: [NotFound] })

/** @see docs/interface.md#4.1, #4.3–4.5 */
export class BuildsGroup extends protect(
  ["builds"],
  HttpApiGroup.make("builds")
    .add(post, latest, read, deletion(buildParam, "a build", "builds"), ...shareLinks)
    .prefix("/api/v1/builds")
) {}
