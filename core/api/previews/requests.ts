import { Effect, Schema } from "effect"
import { DeclaredFiles } from "../../model/Artifact.ts"
import { bundleFields, Platform } from "../../model/Build.ts"
import { BillingKind, GitProvenance, Recording, type PreviewDeclaration } from "../../model/Preview.ts"
import { OwnerName, RepoName } from "../../model/Repository.ts"
import { ReservationId } from "../../model/Reservation.ts"
import { isId } from "../../model/Id.ts"
import { text } from "../../model/Text.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import { lengthOf } from "../parts/bodyBounds.ts"
import { WholeNumber } from "../parts/WholeNumber.ts"

/** @see docs/interface.md#2.6, #4.6 */
export const ReservePreviewRequest = Schema.Struct({
  ...bundleFields,
  isTransformed: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  platform: Schema.optionalKey(Platform),
  files: DeclaredFiles.annotate(lengthOf("files")).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  recordings: Schema.Array(Recording)
    .annotate(lengthOf("recordings"))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  ...GitProvenance.fields,
  billingKind: Schema.optionalKey(BillingKind)
}).annotate({ identifier: "ReservePreviewRequest" })

/** @see docs/interface.md#4.7 */
export const FinalizePreviewRequest = Schema.Struct({ token: text(1024) }).annotate({
  identifier: "FinalizePreviewRequest"
})

/** Not part of the interface; see docs/api-behavior.md. */
export const listPreviewsQuery = {
  owner: OwnerName,
  repo: RepoName,
  limit: Schema.optionalKey(WholeNumber),
  cursor: Schema.optionalKey(ReservationId.check(isId("must be a cursor of this list")))
}

/** What a request declares. */
export const toPreviewDeclaration = (body: typeof ReservePreviewRequest.Type): PreviewDeclaration => {
  const { app, author, base, branch, commitMessage, commitSha, job, owner, pr, repo, ...declaration } = body
  const git = { owner, repo, branch, commitSha: commitSha?.toLowerCase(), pr, app, commitMessage, author, base, job }
  return { ...declaration, git: withoutUndefined(git) }
}
