/** The uploaded objects of builds and previews: the paths of their bundles, files and recordings, and what is stored for them. */
import { Effect, Schema, type Scope } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import { type ByteRange, FilePath } from "../../../core/model/Artifact.ts"
import type { PreviewDeclaration } from "../../../core/model/Preview.ts"
import {
  NotFound,
  type InvalidRequest,
  type RangeNotSatisfiable,
  type Unavailable
} from "../../../core/model/Problem.ts"
import type { Shared } from "../../../core/model/Resource.ts"
import type { OpenObject } from "../../../core/ports/ObjectStore.ts"
import { declaredObjects, recordingObject } from "../../../core/rules/reservations.ts"
import { isGzip } from "../../../core/rules/verification.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Previews } from "../../../core/service/Previews.ts"
import type { CapabilityTarget } from "../access/capability.ts"
import { validatorOf } from "./sendObject.ts"

/** An HTTP archive among the recordings, and its index. */
interface Archive {
  readonly index: number
  readonly name: string
  /** Opens it until the scope closes. */
  readonly open: ReturnType<Hosted["open"]>
}

/** A ready bundle with its files, of a build or a preview. */
interface Hosted {
  readonly title: string
  readonly entry: string | undefined
  /** The paths of the files beside the bundle. */
  readonly paths: ReadonlyArray<string>
  /** The archives that answer the app instead of its API. */
  readonly archives: ReadonlyArray<Archive>
  /** The validator of the bundle, or of the file declared at `path`, if it is never replaced. */
  readonly validator: (path?: string) => string | undefined
  /** Opens the bundle, or the file declared at `path`, until the scope closes. */
  readonly open: (what: {
    readonly path?: string | undefined
    readonly range: ByteRange | undefined
  }) => Effect.Effect<OpenObject, NotFound | InvalidRequest | RangeNotSatisfiable | Unavailable, Scope.Scope>
}

/** The object of a preview that is its bundle, or its file declared at `path`; `undefined` if there is none. */
const previewObject = (declaration: PreviewDeclaration, path: string | undefined): string | undefined =>
  declaredObjects(declaration).find((object) => object.path === path)?.name

/** What a capability runs; `NotFound` if the capability is for objects or the bundle isn't ready. */
export const hosted = Effect.fnUntraced(function* (account: AccountId, opens: CapabilityTarget) {
  const reader = { account: { id: account } }
  if ("build" in opens) {
    const builds = yield* Builds
    const { repository, upload } = yield* builds.read(reader, opens.build)
    if (upload.hostedPrefix === undefined) return yield* NotFound.default
    return {
      title: repository.repo,
      entry: upload.declaration.entry,
      paths: upload.declaration.files.map(({ path }) => path),
      archives: [],
      // A later upload may replace this one at any time, so there is no validator.
      validator: () => undefined,
      open: (what) => builds.open(reader, opens.build, what)
    } satisfies Hosted
  }
  if (!("preview" in opens)) return yield* NotFound.default
  const previews = yield* Previews
  const preview = yield* previews.read(reader, opens.preview)
  const { declaration, hostedPrefix } = preview
  if (hostedPrefix === undefined) return yield* NotFound.default
  const open = (name: string, range: ByteRange | undefined) => previews.openIn(preview, { name, range })
  return {
    title: declaration.git.repo ?? "Preview",
    entry: declaration.entry,
    paths: declaration.files.map(({ path }) => path),
    archives: declaration.recordings.flatMap(({ name }, index) =>
      /\.har$/i.test(name) ? [{ index, name, open: open(recordingObject(index), undefined) }] : []
    ),
    validator: (path) => validatorOf(hostedPrefix + previewObject(declaration, path)),
    open: ({ path, range }) => {
      const name = previewObject(declaration, path)
      return name === undefined ? Effect.fail(NotFound.default) : open(name, range)
    }
  } satisfies Hosted
})

const isFilePath = Schema.is(FilePath)

/**
 * The path of a build's bundle among its files: its `entry` without a leading `/` or `./`, or `index.js` if `entry` is
 * missing or can't be a URL's path. The bundle takes precedence over a file declared at the same path.
 */
export const entryPath = (entry: string | undefined): string => {
  const path = (entry ?? "").replace(/^\.?\//, "")
  return isFilePath(path) ? path : "index.js"
}

/** A path as a relative URL. */
export const relativeUrl = (path: string): string => `./${path.split("/").map(encodeURIComponent).join("/")}`

/** The path that a relative URL leads to; `undefined` when it is none. */
export const pathOf = (url: string): string | undefined => {
  try {
    return url.split("/").map(decodeURIComponent).join("/")
  } catch {
    return undefined
  }
}

const isScript = (contentType: string): boolean =>
  /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i.test(contentType)

/**
 * The headers of a bundle. It is always served as a script; one declared as gzip is a script with that content
 * encoding.
 */
export const bundleHeaders = (object: {
  readonly contentType: string
  readonly contentEncoding?: string
}): { readonly contentType: string; readonly contentEncoding?: string | undefined } => ({
  contentType: isScript(object.contentType) ? object.contentType : "text/javascript; charset=utf-8",
  contentEncoding: object.contentEncoding ?? (isGzip(object.contentType, undefined) ? "gzip" : undefined)
})

/** The source map of a bundle, and the path of the bundle. */
export interface SourceMap {
  readonly path: string
  readonly bundle: string
}

/** The source map among the files beside a bundle: the one that is named like it, or the only one. */
export const sourceMapOf = (declaration: {
  readonly entry?: string | undefined
  readonly files: ReadonlyArray<{ readonly path: string }>
}): SourceMap | undefined => {
  const bundle = entryPath(declaration.entry)
  const maps = declaration.files.map(({ path }) => path).filter((path) => path.endsWith(".map"))
  const path = maps.find((one) => one === `${bundle}.map`) ?? (maps.length === 1 ? maps[0] : undefined)
  return path === undefined ? undefined : { path, bundle }
}

/** The files beside a bundle that a flow can name: flows, and scripts in the folder of flows. */
export const flowFilesOf = (files: ReadonlyArray<{ readonly path: string }>): ReadonlyArray<string> => {
  const isFlow = (path: string): boolean => /\.ya?ml$/i.test(path)
  const folderOf = (path: string): string => path.slice(0, path.indexOf("/") + 1)
  const paths = files.map(({ path }) => path)
  const folders = new Set(paths.filter(isFlow).map(folderOf))
  return paths.filter(
    (path) => isFlow(path) || (/\.js$/i.test(path) && path.includes("/") && folders.has(folderOf(path)))
  )
}

/** A file or a recording of a preview. Each has its own page. */
export type PagedObjectRef =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "recording"; readonly index: number }

/** An object of a preview: its bundle, a file by its path, or a recording by its index. */
export type ObjectRef = { readonly kind: "bundle" } | PagedObjectRef

export const bundleRef: ObjectRef = { kind: "bundle" }
export const fileRef = (path: string): PagedObjectRef => ({ kind: "file", path })
export const recordingRef = (index: number): PagedObjectRef => ({ kind: "recording", index })

/** The index of a recording as a URL names it. */
export const indexForm = /0|[1-9]\d{0,8}/

/** A pattern for the end of a URL that names a bundle, a file or a recording. */
export const refForm = String.raw`(?:(bundle)|files/([^?#]+)|recordings/(${indexForm.source}))(?:[?#]|$)`

/** The object that {@link refForm} matched; `undefined` if a file's path is not valid in a URL. */
export const refIn = ([bundle, file, recording]: ReadonlyArray<string | undefined>): ObjectRef | undefined => {
  if (bundle !== undefined) return bundleRef
  if (recording !== undefined) return recordingRef(Number(recording))
  const path = file === undefined ? undefined : pathOf(file)
  return path === undefined ? undefined : fileRef(path)
}

/** The end of an object's URL: the inverse of {@link refIn}. */
export const refPath = (ref: ObjectRef): string => {
  switch (ref.kind) {
    case "bundle":
      return "bundle"
    case "file":
      return `files/${ref.path.split("/").map(encodeURIComponent).join("/")}`
    case "recording":
      return `recordings/${ref.index}`
  }
}

/** An object of a preview, and its name for saving. */
interface NamedObject {
  readonly object: string
  readonly name: string
}

/** The object of a preview that a URL names; `undefined` if the preview has none. */
export const objectAt = (declaration: PreviewDeclaration, ref: ObjectRef): NamedObject | undefined => {
  if (ref.kind === "recording") {
    const recording = declaration.recordings[ref.index]
    return recording === undefined ? undefined : { object: recordingObject(ref.index), name: recording.name }
  }
  const path = ref.kind === "file" ? ref.path : undefined
  const object = previewObject(declaration, path)
  return object === undefined ? undefined : { object, name: path ?? entryPath(declaration.entry) }
}

/** Whether a share link shows this object of a preview. The link to a run shows only its recordings. */
export const isShown = (shared: Shared, ref: ObjectRef): boolean =>
  "preview" in shared || ("run" in shared && ref.kind === "recording")
