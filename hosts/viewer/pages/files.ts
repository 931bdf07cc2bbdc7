/** The page of an uploaded file: its facts, and its beginning as text or as a tree of JSON. */
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Reader } from "../../../core/model/ApiKey.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { type Grant, rightOf } from "../access/capability.ts"
import { paths } from "../access/site.ts"
import { beginning } from "../content/beginning.ts"
import { shownType } from "../content/sendObject.ts"
import { fileRef, indexForm, isShown, objectAt, recordingRef } from "../content/hosted.ts"
import { shownPreview } from "../content/shown.ts"
import { forAccount, forShared, idInPath, sharedBy } from "../session/account.ts"
import { code, factList, factOf } from "../ui/facts.ts"
import { html, type Html, rawHtml, exactSizeText, shortText } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"

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
  if (query === undefined) return yield* NotFound.default
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
  by: Grant,
  shareId: ShareId,
  sharedAt?: string
) {
  const ref = yield* asked
  const { openings, preview } = yield* shownPreview(account, by, shareId, sharedAt)
  const { files, recordings } = preview.declaration
  const placed = objectAt(preview.declaration, ref)
  const declared = ref.kind === "recording" ? recordings[ref.index] : files.find(({ path }) => path === ref.path)
  if (placed === undefined || declared === undefined || openings === undefined) return yield* NotFound.default
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
    if ("build" in shared || "badge" in shared || !isShown(shared, yield* asked)) return yield* NotFound.default
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

/** How a file is shown: as media with its URL, as text, or not at all. */
type ShownContent =
  | { readonly kind: "image" | "audio" | "video"; readonly source: string }
  | { readonly kind: "text"; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: "bytes" }

/** A file or a recording. */
interface ShownFile {
  readonly name: string
  readonly sizeBytes: number
  /** The declared content type, and the one it is shown as. */
  readonly contentType: string
  readonly type: string
  readonly contentHash?: string | undefined
  /** The URL of the uploaded object. */
  readonly url: string
  readonly content: ShownContent
  /** The page that links here: its path, and what it shows. */
  readonly back: { readonly path: string; readonly to: string }
}

const isJson = (type: string): boolean => /^[^;]*[/+]json\b/i.test(type)

const textHtml = ({ name, type }: ShownFile, text: string, isWhole: boolean): Html => {
  if (text === "") return html`<p>It is empty.</p>`
  const cut = isWhole ? "" : html`<p class="notice">Only the first 512 KiB are shown.</p>`
  const tree = isJson(type) && isWhole ? jsonTree(text) : undefined
  return (
    tree ??
    html`${cut}
      <pre tabindex="0" role="region" aria-label="${name}" dir="auto">${text}</pre>`
  )
}

const contentHtml = (file: ShownFile): Html => {
  const { content, name } = file
  switch (content.kind) {
    case "image":
      return html`<img src="${content.source}" alt="${name}" />`
    case "audio":
      return html`<audio src="${content.source}" aria-label="${name}" controls preload="metadata"></audio>`
    case "video":
      return html`<video src="${content.source}" aria-label="${name}" controls playsinline preload="metadata"></video>`
    case "text":
      return textHtml(file, content.text, content.isWhole)
    case "bytes":
      return html`<p>This file can't be shown here: it is neither text nor media.</p>`
  }
}

/** The page of a file or recording of a preview, with its content. */
const filePage = (context: PageContext, file: ShownFile): HttpServerResponse.HttpServerResponse => {
  const { back, contentHash, contentType, name, sizeBytes, url } = file
  const { site } = context
  return page(context, {
    title: shortText(name, 60),
    styles: ["file"],
    main: html`<div class="title">
        <h1><bdi>${shortText(name, 200)}</bdi></h1>
        <p class="at"><a href="${site.base}${back.path}">Back to ${back.to}</a></p>
      </div>
      <div class="columns file">
        <section class="card content" aria-labelledby="content">
          <h2 id="content">Content</h2>
          ${contentHtml(file)}
        </section>
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          ${factList([
            ["Size", exactSizeText(sizeBytes)],
            ["Type", code(contentType)],
            ...factOf("SHA-256", contentHash, code),
            ["As uploaded", html`<a href="${url}">Open the file</a>`]
          ])}
        </section>
      </div>`
  })
}

/** The most values in a tree, and their greatest depth. */
const most = { values: 5000, depth: 40 }

const startItem = rawHtml("<li>")
const endItem = rawHtml("</li>")
const endList = rawHtml("</ul></details>")

/** A tree with at most this many values is fully unfolded; a larger one shows two levels. */
const fewValues = 200

const scalar = (value: unknown): Html =>
  html`<span class="${value === null ? "null" : typeof value}">${JSON.stringify(value)}</span>`

const named = (name: string | undefined): Html | undefined =>
  name === undefined ? undefined : html`<span class="key"><bdi>${name}</bdi>:</span> `

/** The markup of a value in pieces, unfolded down to `open` levels. */
function* nodeOf(value: unknown, name: string | undefined, open: number): Generator<Html> {
  if (typeof value !== "object" || value === null) {
    yield html`${named(name)}${scalar(value)}`
    return
  }
  const entries = Object.entries(value)
  const isList = Array.isArray(value)
  const [before, after] = isList ? ["[", "]"] : ["{", "}"]
  if (entries.length === 0) {
    yield html`${named(name)}${before}${after}`
    return
  }
  const summary = html`<summary>${named(name)}${before}<span class="size">${entries.length}</span>${after}</summary>`
  yield rawHtml(`<details${open > 0 ? " open" : ""}>${summary}<ul>`)
  for (const [key, one] of entries) {
    yield startItem
    yield* nodeOf(one, isList ? undefined : key, open - 1)
    yield endItem
  }
  yield endList
}

/** JSON as a foldable tree that needs no script; `undefined` if the value isn't a list or object. */
export const jsonTree = (text: string): Html | undefined => {
  const begun = jsonBeginning(text, most)
  if (begun === undefined) return undefined
  const { count, isWhole, value } = begun
  if (typeof value !== "object" || value === null) return undefined
  const open = count <= fewValues ? most.depth : 2
  const cut = isWhole ? "" : html`<p class="notice">Only a part is shown: there are more values, or deeper ones.</p>`
  return html`${cut}
    <div class="json">${[...nodeOf(value, undefined, open)]}</div>`
}

/** The shown part of a JSON text. */
interface JsonBeginning {
  readonly value: unknown
  /** An upper estimate of the number of values in it, including itself. */
  readonly count: number
  readonly isWhole: boolean
}

/** The end of the string that begins at an index: after its closing quote, or the end of the text. */
const endOfText = (json: string, begin: number): number => {
  for (let at = begin + 1; at < json.length; at += 1) {
    const character = json[at]
    if (character === '"') return at + 1
    if (character === "\\") at += 1
  }
  return json.length
}

/**
 * The first values of a JSON text, about `most` of them. A value nested too deep is replaced by the text `…`. The text
 * is cut before it is parsed, because parsing many values is slow. `undefined` if the part that was read isn't JSON.
 */
export const jsonBeginning = (
  json: string,
  most: { readonly values: number; readonly depth: number }
): JsonBeginning | undefined => {
  const kept: Array<string> = []
  /** The closing brackets of the open lists and objects, the innermost last. */
  const closers: Array<string> = []
  let [count, from, isWhole] = [1, 0, true]

  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    const isHidden = closers.length > most.depth
    if (character === '"') at = endOfText(json, at) - 1
    else if (character === "[" || character === "{") {
      closers.push(character === "[" ? "]" : "}")
      if (closers.length <= most.depth) count += 1
      else if (!isHidden) {
        kept.push(json.slice(from, at), '"…"')
        isWhole = false
      }
    } else if (character === "]" || character === "}") {
      closers.pop()
      if (isHidden && closers.length === most.depth) from = at + 1
    } else if (character === "," && !isHidden) count += 1
    if (count <= most.values) continue
    kept.push(json.slice(from, character === "," ? at : at + 1), ...closers.toReversed())
    ;[from, isWhole] = [json.length, false]
    break
  }
  kept.push(json.slice(from))
  try {
    return { value: JSON.parse(kept.join("")), count, isWhole }
  } catch {
    return undefined
  }
}
