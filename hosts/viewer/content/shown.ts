/** Builds, previews and their recordings as pages show them. */
import { DateTime, Effect } from "effect"
import type { Reader } from "../../../core/model/ApiKey.ts"
import type { BuildId, BuildStatus, BuildView } from "../../../core/model/Build.ts"
import type { Preview, PreviewStatus, Recording, RecordingKind, ShareId } from "../../../core/model/Preview.ts"
import { buildStatus, previewStatus } from "../../../core/rules/builds.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { type Grant, Capabilities, objectsPath, replayPath } from "../access/capability.ts"
import { paths, Site } from "../access/site.ts"
import { asUploaded, code, digests } from "../ui/facts.ts"
import { html, type Html, durationText, sizeText } from "../ui/html.ts"
import { type ObjectRef, type PagedObjectRef, recordingRef, refPath } from "./hosted.ts"
import { shownType } from "./sendObject.ts"

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
  by: Grant,
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

/**
 * A build for its pages. Once it is ready, `framePath` is the path of its running documents, and `filesPath` that of its files,
 * for an hour.
 */
export interface ShownBuild extends BuildView {
  readonly status: BuildStatus
  readonly framePath: string | undefined
  readonly filesPath: string | undefined
}

/** A build for its pages, of an account and for `by` the right of who looks. */
export const shownBuild = Effect.fnUntraced(function* (reader: Reader, by: Grant, build: BuildId) {
  const builds = yield* Builds
  const capabilities = yield* Capabilities
  const { content } = yield* Site
  const view = yield* builds.read(reader, build)
  const status = buildStatus(view.build, yield* DateTime.now)
  if (status !== "ready") return { ...view, status, framePath: undefined, filesPath: undefined }
  return {
    ...view,
    status,
    framePath: content.prefix + replayPath(yield* capabilities.issue({ opens: { build }, by })),
    filesPath: content.prefix + objectsPath(yield* capabilities.issue({ opens: { filesOf: build }, by }))
  }
})

const kinds: Record<RecordingKind, string> = {
  video: "Video",
  screenshot: "Screenshot",
  events: "Events",
  log: "Log",
  other: "Other"
}

/** How a recording that can't be shown is labelled: by its name's extension, or its kind. */
const signOf = ({ kind, name }: Recording): string => /\.[a-z\d]{1,5}$/i.exec(name)?.[0] ?? kinds[kind]

/**
 * A thumbnail of a recording; `source` opens it without a session. A video's thumbnail is its frame after one second.
 */
const thumbnail = (recording: Recording, source: string): Html => {
  const type = shownType(recording.contentType, recording.name)
  const [kind] = /^(?:image|video)(?=\/)/i.exec(type.toLowerCase()) ?? []
  const shown =
    kind === "image"
      ? html`<img src="${source}" alt="" loading="lazy" />`
      : kind === "video"
        ? html`<video src="${source}#t=1" muted playsinline preload="metadata"></video>`
        : html`<span>${signOf(recording)}</span>`
  return html`<span class="thumbnail ${kind ?? "other"}" aria-hidden="true">${shown}</span>`
}

const startText = (startedAtMs: number): string =>
  startedAtMs === 0 ? "from the start" : `from ${durationText(startedAtMs)}`

const when = ({ durationMs, startedAtMs }: Recording): ReadonlyArray<string> => [
  ...(startedAtMs === undefined ? [] : [startText(startedAtMs)]),
  ...(durationMs === undefined ? [] : [`for ${durationText(durationMs)}`])
]

const item = (recording: Recording, heading: Html, more?: Html): Html => {
  const { contentType, kind, sizeBytes } = recording
  return html`<li>
    ${heading}
    <span class="type">${[kinds[kind], sizeText(sizeBytes), ...when(recording)].join(", ")}</span>
    <span class="type">${code(contentType)}</span>
    ${more}
  </li>`
}

/** A recording's name, with a link to the uploaded object. */
const named = (recording: Recording, url: string | undefined): Html => {
  const name = html`<bdi>${recording.name}</bdi>`
  return item(
    recording,
    html`<span class="name">${url === undefined ? name : html`<a href="${url}">${name}</a>`}</span>`
  )
}

/** A card for a recording, with a link to the page that shows it. */
const card = (recording: Recording, index: number, { asUploaded: uploaded, load, view }: Openings): Html => {
  const ref = recordingRef(index)
  return item(
    recording,
    html`<a class="look" href="${view(ref)}">
      ${thumbnail(recording, load(ref))}
      <span class="name"><bdi>${recording.name}</bdi></span>
    </a>`,
    html`<span class="type">${asUploaded(uploaded(ref), recording.name)}</span>`
  )
}

const section = (recordings: ReadonlyArray<Recording>, items: ReadonlyArray<Html>): Html =>
  html`<section class="card" aria-labelledby="recordings">
    <h2 id="recordings">Recordings <span class="count">${recordings.length}</span></h2>
    ${
      recordings.length === 0
        ? html`<p>Nothing was recorded.</p>`
        : html`<ul class="recordings">
              ${items}
            </ul>
            ${digests(recordings)}`
    }
  </section>`

/** The recordings of a preview as cards with images and videos. Until the preview is ready, only their names. */
export const recordingCards = (recordings: ReadonlyArray<Recording>, openings: Openings | undefined): Html =>
  section(
    recordings,
    recordings.map((one, index) => (openings === undefined ? named(one, undefined) : card(one, index, openings)))
  )

/** The names of a preview's recordings. */
export const recordingNames = (recordings: ReadonlyArray<Recording>, openings: Openings | undefined): Html =>
  section(
    recordings,
    recordings.map((one, index) => named(one, openings?.asUploaded(recordingRef(index))))
  )
