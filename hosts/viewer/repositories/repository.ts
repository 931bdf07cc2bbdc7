import { DateTime, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { idPattern } from "../../../core/model/Id.ts"
import { Platform } from "../../../core/model/Build.ts"
import { PullRequest } from "../../../core/model/Preview.ts"
import { InvalidRequest } from "../../../core/model/Problem.ts"
import { TestRunKind, TestRunStatus } from "../../../core/model/TestRun.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount } from "../session/account.ts"
import { ifAllowed } from "../session/ifAllowed.ts"
import { latestRuns } from "../session/latestRuns.ts"
import { repositoryPage, type Asked } from "./repositoryPage.ts"

/** A value if it is one of these options, else `undefined`. */
const among = <A extends string>(choices: Schema.Literals<ReadonlyArray<A>>, value: string | null): A | undefined =>
  choices.literals.find((choice) => choice === value)

const pullRequest = Schema.decodeUnknownOption(PullRequest)

/** The values of the page's forms and links. Invalid ones are ignored. */
const askedBy = (url: string): Asked => {
  const query = new URL(url, "http://viewer").searchParams
  const text = (name: string) => (query.get(name) ?? "") || undefined
  const buildsAfter = text("buildsAfter")
  return {
    owner: query.get("owner") ?? "",
    repo: query.get("repo") ?? "",
    platform: among(Platform, query.get("platform")),
    branch: text("branch"),
    buildsAfter: idPattern.test(buildsAfter ?? "") ? buildsAfter : undefined,
    kind: among(TestRunKind, query.get("kind")),
    status: among(TestRunStatus, query.get("status")),
    source: text("source"),
    pr: Option.getOrUndefined(pullRequest(Number(query.get("pr") ?? ""))),
    runsAfter: text("runsAfter")
  }
}

/** How many branches are shown (the latest), and how many builds on a page. */
const mostBranches = 50
const buildsOnPage = 20

const show = forAccount(
  [],
  Effect.fnUntraced(function* (caller, context) {
    const overview = yield* Overview
    const runs = yield* TestRuns
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = askedBy(url)
    const { branch, buildsAfter, kind, owner, platform, pr, repo, runsAfter, source, status } = asked
    const repository = yield* overview.repository(caller, { owner, repo })
    const filter = { branch, kind, status, source, pr }
    const listed = runs.list(caller, { owner, repo, filter, cursor: runsAfter })
    const facts = yield* Effect.all(
      {
        branches: ifAllowed(
          caller,
          "builds",
          overview.branches(caller, { repository: { owner, repo }, limit: mostBranches })
        ),
        builds: ifAllowed(
          caller,
          "builds",
          overview.builds(caller, { owner, repo, branch, platform, after: buildsAfter, limit: buildsOnPage })
        ),
        runs: ifAllowed(
          caller,
          "test_runs",
          // An invalid cursor is ignored: the list begins with the newest run.
          Effect.catchIf(
            listed,
            (error) => error instanceof InvalidRequest,
            () => runs.list(caller, { owner, repo, filter }).pipe(Effect.catchTag("InvalidRequest", Effect.die))
          ).pipe(
            Effect.flatMap(({ nextCursor, runs }) =>
              Effect.map(latestRuns(caller, runs), (tests) => ({ tests, nextCursor, listed: runs.length }))
            )
          )
        ),
        now: DateTime.now
      },
      { concurrency: "unbounded" }
    )
    return repositoryPage(context, { ...facts, asked, repository })
  })
)

export const routes = [HttpRouter.route("GET", "/repositories", show)]
