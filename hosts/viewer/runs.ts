import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { toTestRunRecord } from "../../core/api/testRuns/responses.ts"
import { TestRunId } from "../../core/model/TestRun.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Settings } from "../../core/service/Settings.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { forAccount, idInPath } from "./account.ts"
import { runPage } from "./pages/run.ts"
import { shownPreview } from "./previews.ts"

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const runs = yield* TestRuns
    const authorization = yield* Authorization
    const { viewerUrl } = yield* Settings
    const { repository, run } = yield* runs.read(caller, TestRunId.make(yield* idInPath))
    // What the preview has is for those who may see the preview.
    const preview = yield* authorization.require(caller, ["preview_upload"]).pipe(
      Effect.andThen(shownPreview(caller.account, { key: caller.keyId }, run.previewShareId)),
      Effect.catchTag(["InsufficientScope", "NotFound"], () => Effect.undefined)
    )
    return runPage(context, toTestRunRecord(run, repository, viewerUrl), preview)
  })
)

export const routes = [HttpRouter.route("GET", "/runs/:id", show)]
