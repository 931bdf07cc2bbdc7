import { DateTime, Effect } from "effect"
import { toPreviewMetadata } from "../../../core/api/previews/responses.ts"
import type { ShareId } from "../../../core/model/Preview.ts"
import type { Principal } from "../../../core/model/Principal.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { Capabilities, objectsPath, replayPath } from "../access/capability.ts"
import type { By } from "../access/capability.ts"
import { Site } from "../access/site.ts"
import type { Openings } from "./Openings.ts"

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
