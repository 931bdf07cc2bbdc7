import { DateTime, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound, type Issue } from "../model/Problem.ts"
import { QuarantineOwner, QuarantineReason } from "../model/Quarantine.ts"
import { OwnerName, RepoName } from "../model/Repository.ts"
import { TestId, testNames } from "../model/TestHistory.ts"
import { atMost, isId, text } from "../model/Text.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import {
  QuarantineDays,
  type AddQuarantine,
  type ListedQuarantine,
  type QuarantinePage
} from "../service/Quarantines.ts"
import { CrossFieldIssues, WholeNumber } from "./fields.ts"
import { protect, RequiredScopes } from "./middleware.ts"

const repository = { org: OwnerName, repo: RepoName }

/** Which quarantines to list. */
const listQuarantinesQuery = {
  ...repository,
  limit: Schema.optionalKey(WholeNumber),
  cursor: Schema.optionalKey(text(1024))
}

const fields = Schema.Struct({
  ...testNames,
  reason: QuarantineReason,
  owner: Schema.optionalKey(QuarantineOwner),
  expiresAt: Schema.optionalKey(Schema.String.check(atMost(64)).pipe(Schema.decodeTo(Schema.DateTimeUtcFromString))),
  days: Schema.optionalKey(QuarantineDays)
})

const has = (body: object, field: string): boolean => field in body

const quarantineFieldIssues = (body: unknown): ReadonlyArray<Issue> => {
  if (typeof body !== "object" || body === null) return []
  return [
    ...(has(body, "name") || has(body, "prompt")
      ? []
      : [{ path: "name", message: "is required where there is no prompt" }]),
    ...(has(body, "name") && has(body, "prompt")
      ? [{ path: "prompt", message: "must be absent where there is a name, which identifies the test" }]
      : []),
    ...(has(body, "days") && has(body, "expiresAt")
      ? [{ path: "days", message: "must be absent where there is an expiresAt" }]
      : [])
  ]
}

/** A test, as its history names it, and why it is quarantined until when: for 14 days by default, at most 90. */
export const AddQuarantineRequest = fields
  .check(
    Schema.makeFilter((body: typeof fields.Type) =>
      quarantineFieldIssues(body).map(({ message, path }) => ({ path: [path], issue: message }))
    )
  )
  .annotate({ identifier: "AddQuarantineRequest" })

/** The quarantine to add in a repository. */
export const toAddQuarantine = (
  { org, repo }: { readonly org: string; readonly repo: string },
  { days: life, expiresAt, owner: fixer, reason, ...test }: typeof AddQuarantineRequest.Type
): AddQuarantine => ({
  owner: org,
  repo,
  test,
  reason,
  fixer,
  until: expiresAt !== undefined ? { expiresAt } : life === undefined ? undefined : { days: life }
})

/**
 * A quarantine of a test. `id` is the id of the test, and `passesInARow` counts its passes on the default branch since `createdAt`.
 * `expired` quarantines are listed for thirty days.
 */
export const QuarantineRecord = Schema.Struct({
  id: Schema.String,
  ...testNames,
  reason: Schema.String,
  owner: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  expired: Schema.Boolean,
  passesInARow: Schema.Int
}).annotate({ identifier: "QuarantineRecord" })

/** A page of quarantines, the newest first; `cursor` continues it. */
export const QuarantineList = Schema.Struct({
  quarantines: Schema.Array(QuarantineRecord),
  cursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "QuarantineList" })

export const toQuarantineRecord = (
  { passesInARow, quarantine }: ListedQuarantine,
  now: DateTime.Utc
): typeof QuarantineRecord.Type => {
  const { accountId: _account, expiredAt: _published, repositoryId: _repository, testId, ...shown } = quarantine
  return { id: testId, ...shown, expired: DateTime.isGreaterThanOrEqualTo(now, shown.expiresAt), passesInARow }
}

export const toQuarantineList = (
  { nextCursor, quarantines }: QuarantinePage,
  now: DateTime.Utc
): typeof QuarantineList.Type => ({
  quarantines: quarantines.map((one) => toQuarantineRecord(one, now)),
  ...withoutUndefined({ cursor: nextCursor })
})

const extension = (summary: string, description: string) =>
  OpenApi.annotations({
    summary,
    description: `An extension of the interface. ${description}`,
    override: { "x-slipway-extension": true }
  })

/** Not part of the interface; see docs/quarantine.md. */
export class QuarantinesGroup extends protect(
  ["test_runs"],
  HttpApiGroup.make("quarantines")
    .add(
      HttpApiEndpoint.get("list", "/", {
        query: listQuarantinesQuery,
        success: QuarantineList,
        error: NotFound
      }).annotateMerge(
        extension(
          "List the quarantines of a repository",
          "The newest first, also those that ended in the last thirty days. `limit` defaults to 50 and is clamped to 1–100."
        )
      ),
      HttpApiEndpoint.post("add", "/", {
        query: repository,
        payload: AddQuarantineRequest,
        success: QuarantineRecord.pipe(HttpApiSchema.status(201)),
        error: NotFound
      })
        .annotateMerge(
          extension(
            "Quarantine a test",
            "Replaces a quarantine of the same test. `kind`, `name` or `prompt`, `file`, `platform` and `app` identify the test as in its history. Failures that are registered until the end are quarantined."
          )
        )
        .annotate(RequiredScopes, ["quarantine"])
        // Without this check, a misspelled field would quarantine another test, or for another time.
        .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
        .annotate(CrossFieldIssues, quarantineFieldIssues),
      HttpApiEndpoint.delete("remove", "/:id", {
        params: { id: TestId.check(isId("must be the id of a test")) },
        success: HttpApiSchema.NoContent,
        error: NotFound
      })
        .annotateMerge(
          extension("End the quarantine of a test", "`id` is the id of the test. Past failures stay quarantined.")
        )
        .annotate(RequiredScopes, ["quarantine"])
    )
    .prefix("/api/v1/quarantines")
) {}
