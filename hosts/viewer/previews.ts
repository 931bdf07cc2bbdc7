import { DateTime, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { toPreviewMetadata } from "../../core/api/previews/responses.ts"
import { ShareId } from "../../core/model/Preview.ts"
import type { Principal } from "../../core/model/Principal.ts"
import { Overview } from "../../core/service/Overview.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Settings } from "../../core/service/Settings.ts"
import { forAccount, idInPath } from "./account.ts"
import { Capabilities, objectsPath, replayPath } from "./capability.ts"
import type { By } from "./capability.ts"
import { ifAllowed } from "./home.ts"
import { previewPage } from "./pages/preview.ts"
import type { Openings } from "./pages/preview.ts"
import { Site } from "./site.ts"

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
  const name = yield* capabilities.issue({ account: account.id, opens: { preview: shareId }, by })
  const openings: Openings = {
    framePath: content.prefix + replayPath(name),
    objectsPath: content.prefix + objectsPath(name),
    viewPath: `${base}/previews/${shareId}/view`
  }
  return { metadata, openings }
})

const show = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const overview = yield* Overview
    const preview = ShareId.make(yield* idInPath)
    const { metadata, openings } = yield* shownPreview(caller.account, { key: caller.keyId }, preview)
    const runs = yield* ifAllowed(caller, "test_runs", overview.runsOf(caller, preview))
    return previewPage(context, metadata, openings, runs)
  })
)

export const routes = [HttpRouter.route("GET", "/previews/:id", show)]
