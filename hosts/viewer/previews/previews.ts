import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { ShareId } from "../../../core/model/Preview.ts"
import type { Caller } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { rightOf } from "../access/capability.ts"
import { shownPreview } from "../content/shownPreview.ts"
import { ifAllowed } from "../session/ifAllowed.ts"
import { recordedSteps } from "../trace/recorded/recordedSteps.ts"
import { previewDeletedPage } from "./previewDeletedPage.ts"
import { mostRuns, previewPage } from "./previewPage.ts"
import { paths } from "../access/paths.ts"
import { replayPage } from "../replay/replayPage.ts"

/** The repository that a preview names, if it is linked to the account: a preview may name any repository. */
const linked = Effect.fnUntraced(function* (caller: Caller, named: Pick<Repository, "owner" | "repo">) {
  const overview = yield* Overview
  return yield* overview.repository(caller, named).pipe(Effect.catchTag("NotFound", () => Effect.undefined))
})

const show = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const overview = yield* Overview
    const preview = ShareId.make(yield* idInPath)
    const shown = yield* Effect.catchTag(
      shownPreview(caller.account, rightOf(caller), preview),
      "NotFound",
      () => Effect.undefined
    )
    if (shown === undefined) {
      // Runs are kept when their preview is deleted, so an existing run shows that there was one.
      const [run] = yield* overview.runsOf(caller, preview, 1)
      return run === undefined
        ? yield* NotFound.answer
        : previewDeletedPage(context, caller.scopes.includes("test_runs") ? run : undefined)
    }
    const { owner, repo } = shown.preview.declaration.git
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const facts = yield* Effect.all(
      {
        recorded: /\?steps(?:&|$)/.test(url) ? recordedSteps(shown.preview) : Effect.undefined,
        runs: ifAllowed(caller, "test_runs", overview.runsOf(caller, preview, mostRuns + 1)),
        repository: owner === undefined || repo === undefined ? Effect.undefined : linked(caller, { owner, repo })
      },
      { concurrency: "unbounded" }
    )
    return previewPage(context, shown, facts)
  })
)

/** The app of a preview in the full window. */
const showAlone = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const id = ShareId.make(yield* idInPath)
    const { openings, preview } = yield* shownPreview(caller.account, rightOf(caller), id)
    if (openings === undefined) return yield* NotFound.answer
    const { deviceSpec, git } = preview.declaration
    const { branch, commitSha, owner, repo } = git
    return replayPage(context, {
      title: repo ?? "Preview",
      of: [owner, repo].filter((name) => name !== undefined).join("/") || "no repository",
      branch,
      commitSha,
      device: deviceSpec,
      path: openings.framePath,
      page: paths.preview(id),
      kind: "preview"
    })
  })
)

export const routes = [
  HttpRouter.route("GET", "/previews/:id", show),
  HttpRouter.route("GET", "/previews/:id/replay", showAlone)
]
