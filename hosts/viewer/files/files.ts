import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { ShareId } from "../../../core/model/Preview.ts"
import type { Reader } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { beginning } from "../content/beginning.ts"
import { rightOf, type By } from "../access/capability.ts"
import { shownType } from "../content/contentType.ts"
import { forShared, sharedBy } from "../session/forShared.ts"
import { fileRef, indexForm, isShown, objectAt, recordingRef } from "../content/objectRef.ts"
import { paths } from "../access/paths.ts"
import { filePage, type ShownContent } from "./filePage.ts"
import type { PageContext } from "../ui/layout.ts"
import { shownPreview } from "../content/shownPreview.ts"

/** How many bytes of a text are shown. */
const textBytes = 512 * 1024

/** The requested object: a file by its path, or a recording by its index. */
const Asked = Schema.Union([
  Schema.Struct({ path: Schema.String }),
  Schema.Struct({ recording: Schema.String.check(Schema.isPattern(new RegExp(`^(?:${indexForm.source})$`))) })
])

const asked = Effect.gen(function* () {
  const search = yield* HttpServerRequest.ParsedSearchParams
  const query = Option.getOrUndefined(Schema.decodeUnknownOption(Asked)(search))
  if (query === undefined) return yield* NotFound.answer
  return "path" in query ? fileRef(query.path) : recordingRef(Number(query.recording))
})

const mediaKind = /^(image|audio|video)\//i

const text = new TextDecoder("utf-8", { fatal: true })

/** Bytes as UTF-8 text; `undefined` if they aren't valid. The last character may be cut if there is more text. */
const textOf = (bytes: Uint8Array, isWhole: boolean): string | undefined => {
  if (bytes.includes(0)) return undefined
  for (const cut of isWhole ? [0] : [0, 1, 2, 3]) {
    try {
      return text.decode(bytes.subarray(0, bytes.byteLength - cut))
    } catch {
      // The last character may be cut off at the end.
    }
  }
  return undefined
}

/** What a page shows of an object: media by URL, or the beginning of a text. */
const contentOf = Effect.fnUntraced(function* (
  account: Reader["account"],
  shareId: ShareId,
  object: string,
  { source, type }: { readonly source: string; readonly type: string }
) {
  const [, kind] = mediaKind.exec(type) ?? []
  if (kind !== undefined) {
    return {
      kind: kind.toLowerCase() === "image" ? "image" : kind.toLowerCase() === "audio" ? "audio" : "video",
      source
    } satisfies ShownContent
  }
  const previews = yield* Previews
  const { bytes, isPlain, isWhole } = yield* beginning(
    (range) => previews.open({ account }, shareId, { name: object, range }),
    textBytes
  )
  const found = isPlain ? textOf(bytes, isWhole) : undefined
  return (found === undefined ? { kind: "bytes" } : { kind: "text", text: found, isWhole }) satisfies ShownContent
})

/**
 * The page of one file or recording of a preview, with the viewing person's right `by`; for a share link, at
 * `sharedAt`.
 */
const view = Effect.fnUntraced(function* (
  context: PageContext,
  account: Reader["account"],
  by: By,
  shareId: ShareId,
  sharedAt?: string
) {
  const ref = yield* asked
  const { openings, preview } = yield* shownPreview(account, by, shareId, sharedAt)
  const { files, recordings } = preview.declaration
  const placed = objectAt(preview.declaration, ref)
  const declared = ref.kind === "recording" ? recordings[ref.index] : files.find(({ path }) => path === ref.path)
  if (placed === undefined || declared === undefined || openings === undefined) return yield* NotFound.answer
  const type = shownType(declared.contentType, placed.name)
  const content = yield* contentOf(account, shareId, placed.object, { source: openings.load(ref), type })
  return filePage(context, {
    ...declared,
    name: placed.name,
    url: openings.asUploaded(ref),
    type,
    content,
    back:
      sharedAt === undefined
        ? { path: paths.preview(shareId), to: "its preview" }
        : { path: sharedAt, to: "what was shared" }
  })
})

const showToAccount = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const shareId = ShareId.make(yield* idInPath)
    return yield* view(context, caller.account, rightOf(caller), shareId)
  })
)

const showShared = forShared(
  Effect.fnUntraced(function* (context, secret) {
    const runs = yield* TestRuns
    const { accountId, id, shared } = yield* sharedBy(secret)
    if ("build" in shared || !isShown(shared, yield* asked)) return yield* NotFound.answer
    const account = { id: accountId }
    const shareId =
      "preview" in shared ? shared.preview : (yield* runs.read({ account }, shared.run)).run.previewShareId
    return yield* view(context, account, { share: id }, shareId, paths.shared(secret))
  })
)

/** The pages that show the files and recordings of a preview. */
export const routes = [
  HttpRouter.route("GET", "/previews/:id/view", showToAccount),
  HttpRouter.route("GET", "/shared/:secret/view", showShared)
]
