/**
 * The bodies of `POST /api/v1/builds`: without `operation` it reserves, with `"operation": "finalize"` it finalizes.
 */
import { Effect, Schema, type SchemaIssue } from "effect"
import { DeclaredFiles } from "../../model/Artifact.ts"
import { bundleFields, CommitSha, Platform } from "../../model/Build.ts"
import { AppName, ciDetails } from "../../model/ciDetails.ts"
import { OwnerName, RepoName } from "../../model/Repository.ts"
import { Name, text } from "../../model/Text.ts"
import { lengthOf } from "../parts/bodyBounds.ts"

/** @see docs/interface.md#2.1 */
export const ReserveBuildRequest = Schema.Struct({
  operation: Schema.optionalKey(Schema.Never.annotate({ message: 'must be "finalize", or be left out to reserve' })),
  owner: OwnerName,
  repo: RepoName,
  branch: Name,
  platform: Platform,
  commitSha: CommitSha,
  app: Schema.optionalKey(AppName),
  ...bundleFields,
  isTransformed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  files: DeclaredFiles.annotate(lengthOf("files")).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  ...ciDetails
}).annotate({ identifier: "ReserveBuildRequest" })

/** @see docs/interface.md#2.3 */
export const FinalizeBuildRequest = Schema.Struct({
  operation: Schema.Literal("finalize"),
  token: text(1024)
}).annotate({ identifier: "FinalizeBuildRequest" })

const mentionsOperation = (issue: SchemaIssue.Issue): boolean => {
  switch (issue._tag) {
    case "Pointer":
      return issue.path[0] === "operation"
    case "Composite":
      return issue.issues.some(mentionsOperation)
    case "Encoding":
    case "Filter":
      return mentionsOperation(issue.issue)
    default:
      return false
  }
}

/** The issues of the intended body, from those of both bodies. */
const meant = (issue: SchemaIssue.Issue): SchemaIssue.Issue => {
  if (issue._tag === "Encoding") return meant(issue.issue)
  if (issue._tag !== "AnyOf") return issue
  const [asFinalize, asReserve] = issue.issues
  if (asFinalize === undefined || asReserve === undefined) return issue
  return mentionsOperation(asReserve) ? asFinalize : asReserve
}

/** Either body. An issue refers to the body that `operation` selects. */
export const BuildsRequest = Schema.Union([FinalizeBuildRequest, ReserveBuildRequest])
  .annotate({
    message: "must be a JSON object"
  })
  .pipe(Schema.catchDecoding((issue) => Effect.fail(meant(issue))))
