import { DateTime, Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { BuildId, type BuildReservation } from "../../../core/model/Build.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { buildStatus } from "../../../core/rules/builds.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { Capabilities, replayPath, rightOf } from "../access/capability.ts"
import { buildPage, type ShownBuild } from "./buildPage.ts"
import type { PageContext } from "../ui/layout.ts"
import { replayPage } from "../replay/replayPage.ts"

/** How many of a build's reservations are shown, the newest ones. */
const mostUploads = 20

/** A page about the build that the path names. */
const forBuild = (
  show: (
    context: PageContext,
    shown: ShownBuild,
    uploads: ReadonlyArray<BuildReservation>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound>
) =>
  forAccount(
    ["builds"],
    Effect.fnUntraced(function* (caller, context) {
      const builds = yield* Builds
      const capabilities = yield* Capabilities
      const build = BuildId.make(yield* idInPath)
      const view = yield* builds.read(caller, build)
      const status = buildStatus(view.build, yield* DateTime.now)
      const framePath =
        status === "ready"
          ? context.site.content.prefix +
            replayPath(yield* capabilities.issue({ opens: { build }, by: rightOf(caller) }))
          : undefined
      const overview = yield* Overview
      return yield* show(context, { ...view, status, framePath }, yield* overview.uploads(caller, build, mostUploads))
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
    forBuild((context, { framePath, ...build }) =>
      framePath === undefined ? Effect.fail(NotFound.answer) : Effect.succeed(replayPage(context, build, framePath))
    )
  )
]
