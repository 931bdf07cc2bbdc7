import type { PreviewDeclaration } from "../../../core/model/Preview.ts"
import type { Shared } from "../../../core/model/ShareLink.ts"
import { recordingObject } from "../../../core/rules/reservations.ts"
import { entryPath, pathOf } from "./entry.ts"
import { previewObject } from "./hosted.ts"

/** A file or a recording of a preview. Each has its own page. */
export type PagedPlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "recording"; readonly index: number }

/** An object of a preview: its bundle, a file by its path, or a recording by its index. */
export type Place = { readonly kind: "bundle" } | PagedPlace

export const bundlePlace: Place = { kind: "bundle" }
export const filePlace = (path: string): PagedPlace => ({ kind: "file", path })
export const recordingPlace = (index: number): PagedPlace => ({ kind: "recording", index })

/** The index of a recording as a URL names it. */
export const indexForm = /0|[1-9]\d{0,8}/

/** A pattern for the end of a URL that names a bundle, a file or a recording. */
export const placeForm = String.raw`(?:(bundle)|files/([^?#]+)|recordings/(${indexForm.source}))(?:[?#]|$)`

/** The object that {@link placeForm} matched; `undefined` if a file's path is not valid in a URL. */
export const placeIn = ([bundle, file, recording]: ReadonlyArray<string | undefined>): Place | undefined => {
  if (bundle !== undefined) return bundlePlace
  if (recording !== undefined) return recordingPlace(Number(recording))
  const path = file === undefined ? undefined : pathOf(file)
  return path === undefined ? undefined : filePlace(path)
}

/** The end of an object's URL: the inverse of {@link placeIn}. */
export const placePath = (place: Place): string => {
  switch (place.kind) {
    case "bundle":
      return "bundle"
    case "file":
      return `files/${place.path.split("/").map(encodeURIComponent).join("/")}`
    case "recording":
      return `recordings/${place.index}`
  }
}

/** An object of a preview, and its name for saving. */
interface PlacedObject {
  readonly object: string
  readonly name: string
}

/** The object of a preview that a URL names; `undefined` if the preview has none. */
export const objectAt = (declaration: PreviewDeclaration, place: Place): PlacedObject | undefined => {
  if (place.kind === "recording") {
    const recording = declaration.recordings[place.index]
    return recording === undefined ? undefined : { object: recordingObject(place.index), name: recording.name }
  }
  const path = place.kind === "file" ? place.path : undefined
  const object = previewObject(declaration, path)
  return object === undefined ? undefined : { object, name: path ?? entryPath(declaration.entry) }
}

/** Whether a share link shows this object. The link to a run shows only the recordings of its preview. */
export const isShown = (shared: Shared, place: Place): boolean => "preview" in shared || place.kind === "recording"
