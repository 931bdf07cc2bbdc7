import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { BuildId } from "../../../core/model/Build.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { paths } from "../access/paths.ts"
import { rightOf } from "../access/capability.ts"
import { shownBuild, type ShownBuild } from "../content/shownBuild.ts"
import { buildPage, type AroundBuild } from "./buildPage.ts"
import type { PageContext } from "../ui/layout.ts"
import { replayPage } from "../replay/replayPage.ts"

/** How many of a build's reservations are shown, the newest ones. */
const mostUploads = 20

/** How many of the builds before it, and of the runs of its commit, are shown; the latter are among the newest of the branch. */
const [mostEarlier, mostRuns, mostRead] = [5, 10, 50]

/** A page about the build that the path names. */
const forBuild = (
  show: (
    context: PageContext,
    shown: ShownBuild,
    around: AroundBuild
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound>
) =>
  forAccount(
    ["builds"],
    Effect.fnUntraced(function* (caller, context) {
      const build = BuildId.make(yield* idInPath)
      const view = yield* shownBuild(caller, rightOf(caller), build)
      const overview = yield* Overview
      const { owner, repo } = view.repository
      const { app, branch, commitSha, platform } = view.build
      const mayRuns = caller.scopes.includes("test_runs")
      const around = yield* Effect.all(
        {
          linked: overview.repository(caller, { owner, repo }),
          uploads: overview.uploads(caller, build, mostUploads),
          earlier: Effect.map(
            overview.builds(caller, { owner, repo, branch, platform, app, after: build, limit: mostEarlier }),
            ({ builds }) => builds.filter((earlier) => earlier.build.app === app)
          ),
          runs: mayRuns
            ? (yield* TestRuns).list(caller, { owner, repo, filter: { app, branch }, limit: mostRead }).pipe(
                Effect.map(({ runs }) => runs.filter(({ run }) => run.commitSha === commitSha).slice(0, mostRuns)),
                Effect.catchTag("InvalidRequest", Effect.die)
              )
            : Effect.undefined
        },
        { concurrency: "unbounded" }
      )
      return yield* show(context, view, around)
    })
  )

export const routes = [
  HttpRouter.route(
    "GET",
    "/builds/:id",
    forBuild((...facts) => Effect.succeed(buildPage(...facts)))
  ),
  HttpRouter.route(
    "GET",
    "/builds/:id/replay",
    forBuild((context, { build, framePath, repository: { owner, repo }, upload }) =>
      framePath === undefined
        ? Effect.fail(NotFound.answer)
        : Effect.succeed(
            replayPage(context, {
              title: repo,
              of: `${owner}/${repo}`,
              branch: build.branch,
              commitSha: build.commitSha,
              device: upload.declaration.deviceSpec,
              path: framePath,
              page: paths.build(build.id),
              kind: "build"
            })
          )
    )
  )
]
