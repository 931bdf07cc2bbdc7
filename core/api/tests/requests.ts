import { Schema, Struct } from "effect"
import { CommitSha } from "../../model/Build.ts"
import { AppName, ciDetails } from "../../model/ciDetails.ts"
import { PullRequest } from "../../model/Preview.ts"
import { OwnerName, RepoName } from "../../model/Repository.ts"
import { ImportAnnouncement } from "../../model/TestHistory.ts"
import { TestRunStatus } from "../../model/TestRun.ts"
import { Name, text } from "../../model/Text.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import type { AnnounceImport } from "../../service/TestHistories.ts"
import { WholeNumber } from "../parts/WholeNumber.ts"

const repository = { org: OwnerName, repo: RepoName }

const branch = Schema.optionalKey(
  Name.annotate({ description: "Only results of this branch count; without it, those of all branches." })
)

/** Which tests to list, see docs/history.md. */
export const listTestsQuery = {
  ...repository,
  branch,
  status: Schema.optionalKey(TestRunStatus.annotate({ description: "The status of the last result." })),
  flaky: Schema.optionalKey(Schema.Literal(true)),
  app: Schema.optionalKey(AppName.annotate({ description: "Only tests of this app." })),
  limit: Schema.optionalKey(WholeNumber),
  cursor: Schema.optionalKey(text(1024)),
  format: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({
      description: "`csv` answers the page as a table, and its next page in the header `link`."
    })
  )
}

/** Of which branch to read a test's history. */
export const readTestQuery = { branch }

/** An import of a CI run, see docs/history.md: it is open until it is sent again with `registeredRuns`. */
export const AnnounceImportRequest = Schema.Struct({
  owner: OwnerName,
  repo: RepoName,
  ...Struct.omit(ImportAnnouncement.fields, ["attempt", "openedAt"]),
  branch: Schema.optionalKey(Name),
  commitSha: Schema.optionalKey(CommitSha),
  pr: Schema.optionalKey(PullRequest),
  ...Struct.pick(ciDetails, ["commitMessage", "author", "base"])
}).annotate({ identifier: "AnnounceImportRequest" })

/** The import, and the CI run that `source` names. */
export const toAnnounceImport = (source: string, body: typeof AnnounceImportRequest.Type): AnnounceImport => {
  const { author, base, branch, commitMessage, commitSha, owner, pr, repo, ...announced } = body
  return {
    owner,
    repo,
    source,
    import: announced,
    details: withoutUndefined({ author, base, branch, commitMessage, commitSha: commitSha?.toLowerCase(), pr })
  }
}

/** What to compare a CI run with. */
export const readSourceQuery = {
  ...repository,
  base: Schema.optionalKey(
    Name.annotate({ description: "The branch to compare with; without it, the repository's default branch." })
  ),
  app: Schema.optionalKey(AppName.annotate({ description: "Only tests of this app; without it, those of all." }))
}
