import type { PreviewDeclaration } from "../../../core/model/Preview.ts"
import type { Resource } from "../../../core/model/Resource.ts"
import { recordingObject } from "../../../core/rules/reservations.ts"
import { entryPath, pathOf } from "./entry.ts"
import { previewObject } from "./hosted.ts"

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
export const isShown = (shared: Resource, ref: ObjectRef): boolean => "preview" in shared || ref.kind === "recording"
