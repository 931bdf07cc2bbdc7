import { DateTime, Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { toBuildRow } from "../../../core/api/builds/responses.ts"
import type { BuildRow } from "../../../core/api/builds/responses.ts"
import { BuildId } from "../../../core/model/Build.ts"
import type { BuildReservation } from "../../../core/model/Build.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { Capabilities, replayPath, rightOf } from "../access/capability.ts"
import { buildPage } from "./buildPage.ts"
import type { PageContext } from "../ui/layout.ts"
import { replayPage } from "../replay/replayPage.ts"

/** How many of a build's reservations are shown: the newest. */
const mostUploads = 20

/** A page about the build that the path names; `framePath` leads to its running documents once it is ready. */
const forBuild = (
  show: (
    context: PageContext,
    row: BuildRow,
    framePath: string | undefined,
    uploads: ReadonlyArray<BuildReservation>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound>
) =>
  forAccount(
    ["builds"],
    Effect.fnUntraced(function* (caller, context) {
      const builds = yield* Builds
      const capabilities = yield* Capabilities
      const { viewerUrl } = yield* Settings
      const build = BuildId.make(yield* idInPath)
      const row = toBuildRow(yield* builds.read(caller, build), viewerUrl, yield* DateTime.now)
      const framePath =
        row.status === "ready"
          ? context.site.content.prefix +
            replayPath(yield* capabilities.issue({ opens: { build }, by: rightOf(caller) }))
          : undefined
      const overview = yield* Overview
      return yield* show(context, row, framePath, yield* overview.uploads(caller, build, mostUploads))
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
    forBuild((context, row, framePath) =>
      framePath === undefined ? Effect.fail(NotFound.answer) : Effect.succeed(replayPage(context, row, framePath))
    )
  )
]
