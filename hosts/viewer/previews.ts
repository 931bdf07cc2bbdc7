import { DateTime, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { toPreviewMetadata } from "../../core/api/previews/responses.ts"
import { ShareId } from "../../core/model/Preview.ts"
import type { Principal } from "../../core/model/Principal.ts"
import { Previews } from "../../core/service/Previews.ts"
import { Settings } from "../../core/service/Settings.ts"
import { forAccount, idInPath } from "./account.ts"
import { Capabilities, objectsPath, replayPath } from "./capability.ts"
import { previewPage } from "./pages/preview.ts"
import { Site } from "./site.ts"

/** A preview as its pages show it, with the paths that open it once it is ready. */
export const shownPreview = Effect.fnUntraced(function* (caller: Principal["Service"], shareId: ShareId) {
  const previews = yield* Previews
  const capabilities = yield* Capabilities
  const { viewerUrl } = yield* Settings
  const { base } = yield* Site
  const preview = yield* previews.read(caller, shareId)
  const metadata = toPreviewMetadata(preview, caller.account, viewerUrl, yield* DateTime.now)
  if (metadata.status !== "ready") return { metadata, openings: undefined }
  const name = yield* capabilities.issue({ account: caller.account.id, opens: { preview: shareId } })
  return { metadata, openings: { framePath: base + replayPath(name), objectsPath: base + objectsPath(name) } }
})

const show = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const { metadata, openings } = yield* shownPreview(caller, ShareId.make(yield* idInPath))
    return previewPage(context, metadata, openings)
  })
)

export const routes = [HttpRouter.route("GET", "/previews/:id", show)]
