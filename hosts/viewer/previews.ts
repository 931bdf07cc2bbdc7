import { DateTime, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { toPreviewMetadata } from "../../core/api/previews/responses.ts"
import { ShareId } from "../../core/model/Preview.ts"
import type { Caller, Principal } from "../../core/model/Principal.ts"
import type { Repository } from "../../core/model/Repository.ts"
import { Overview } from "../../core/service/Overview.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Settings } from "../../core/service/Settings.ts"
import { forAccount, idInPath } from "./access/account.ts"
import { Capabilities, objectsPath, replayPath, rightOf } from "./access/capability.ts"
import type { By } from "./access/capability.ts"
import { ifAllowed } from "./home.ts"
import { previewPage } from "./pages/preview.ts"
import type { Openings } from "./pages/preview.ts"
import { Site } from "./access/site.ts"

/** A preview of an account as its pages show it, with the paths that open it once it is ready, `by` the right of who looks. */
export const shownPreview = Effect.fnUntraced(function* (
  account: Principal["Service"]["account"],
  by: By,
  shareId: ShareId
) {
  const previews = yield* Previews
  const capabilities = yield* Capabilities
  const { viewerUrl } = yield* Settings
  const { base, content } = yield* Site
  const preview = yield* previews.read({ account }, shareId)
  const metadata = toPreviewMetadata(preview, account, viewerUrl, yield* DateTime.now)
  if (metadata.status !== "ready") return { metadata, openings: undefined }
  const openings: Openings = {
    framePath: content.prefix + replayPath(yield* capabilities.issue({ opens: { preview: shareId }, by })),
    objectsPath: content.prefix + objectsPath(yield* capabilities.issue({ opens: { objectsOf: shareId }, by })),
    viewPath: `${base}/previews/${shareId}/view`
  }
  return { metadata, openings }
})

/** The repository that a preview names, where it is linked to the account: a preview may name any. */
const linked = Effect.fnUntraced(function* (caller: Caller, named: Pick<Repository, "owner" | "repo">) {
  const overview = yield* Overview
  return yield* overview.repository(caller, named).pipe(
    Effect.map(({ repository }) => repository),
    Effect.catchTag("NotFound", () => Effect.undefined)
  )
})

const show = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const overview = yield* Overview
    const preview = ShareId.make(yield* idInPath)
    const { metadata, openings } = yield* shownPreview(caller.account, rightOf(caller), preview)
    const { owner, repo } = metadata.git
    const facts = yield* Effect.all(
      {
        runs: ifAllowed(caller, "test_runs", overview.runsOf(caller, preview)),
        repository: owner === undefined || repo === undefined ? Effect.undefined : linked(caller, { owner, repo })
      },
      { concurrency: "unbounded" }
    )
    return previewPage(context, metadata, openings, facts)
  })
)

export const routes = [HttpRouter.route("GET", "/previews/:id", show)]
