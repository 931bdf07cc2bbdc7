import { DateTime, Effect } from "effect"
import type { Preview, PreviewStatus, ShareId } from "../../../core/model/Preview.ts"
import type { Reader } from "../../../core/model/ApiKey.ts"
import { previewStatus } from "../../../core/rules/builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Capabilities, objectsPath, replayPath, type By } from "../access/capability.ts"
import { paths } from "../access/paths.ts"
import { Site } from "../access/site.ts"
import { recordingRef, refPath, type ObjectRef, type PagedObjectRef } from "./objectRef.ts"

/** The URLs of a preview's content, once it is ready. */
export interface Openings {
  /** The running documents, without a session. */
  readonly framePath: string
  /** An object without a session, for a page to load. */
  readonly load: (ref: ObjectRef) => string
  /** An uploaded object, for people to open and save. */
  readonly asUploaded: (ref: ObjectRef) => string
  /** The page that shows a file or a recording. */
  readonly view: (ref: PagedObjectRef) => string
}

/** The view of a preview that pages show. */
export interface ShownPreview {
  readonly preview: Preview
  readonly status: PreviewStatus
  readonly openings: Openings | undefined
}

/**
 * A preview of an account, for `by` the right of who looks. Through a share link it is looked at on the page at `sharedAt`,
 * by people without a key: objects open by capability there, as their lasting URLs ask for a key.
 */
export const shownPreview = Effect.fnUntraced(function* (
  account: Reader["account"],
  by: By,
  shareId: ShareId,
  sharedAt?: string
): Effect.fn.Return<
  ShownPreview,
  Effect.Error<ReturnType<Previews["Service"]["read"]>>,
  Previews | Capabilities | Site
> {
  const previews = yield* Previews
  const capabilities = yield* Capabilities
  const { base, content } = yield* Site
  const preview = yield* previews.read({ account }, shareId)
  const status = previewStatus(preview, yield* DateTime.now)
  if (status !== "ready") return { preview, status, openings: undefined }
  const objects = content.prefix + objectsPath(yield* capabilities.issue({ opens: { objectsOf: shareId }, by }))
  const page = base + (sharedAt ?? paths.preview(shareId))
  const load = (ref: ObjectRef): string => objects + refPath(ref)
  return {
    preview,
    status,
    openings: {
      framePath: content.prefix + replayPath(yield* capabilities.issue({ opens: { preview: shareId }, by })),
      load,
      asUploaded: sharedAt === undefined ? (ref) => `${page}/${refPath(ref)}` : load,
      view: (ref) =>
        `${page}/view?${ref.kind === "file" ? new URLSearchParams({ path: ref.path }) : `recording=${ref.index}`}`
    }
  }
})

/** The first screenshot of a shared page, for sites that show its link. It opens for an hour, and no longer than the link. */
export const firstScreenshot = (
  { url }: Site["Service"],
  shown: Pick<ShownPreview, "openings" | "preview"> | undefined
): { readonly image?: string } => {
  const index = shown?.preview.declaration.recordings.findIndex(({ kind }) => kind === "screenshot") ?? -1
  return index < 0 || shown?.openings === undefined
    ? {}
    : { image: new URL(shown.openings.load(recordingRef(index)), url).href }
}
