import type { PreviewDeclaration } from "../../../core/model/Preview.ts"
import type { Shared } from "../../../core/model/ShareLink.ts"
import { entryPath, pathOf } from "./entry.ts"
import { previewObject } from "./hosted.ts"

/** A file or a recording of a preview: what has a page of its own. */
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

/** A place at the end of a URL, as a pattern: of the bundle, of a file or of a recording. */
export const placeForm = String.raw`(?:(bundle)|files/([^?#]+)|recordings/(${indexForm.source}))(?:[?#]|$)`

/** The place that {@link placeForm} found; `undefined` where the path of a file is no URL. */
export const placeIn = ([bundle, file, recording]: ReadonlyArray<string | undefined>): Place | undefined => {
  if (bundle !== undefined) return bundlePlace
  if (recording !== undefined) return recordingPlace(Number(recording))
  const path = file === undefined ? undefined : pathOf(file)
  return path === undefined ? undefined : filePlace(path)
}

/** A place as the end of a URL: the inverse of {@link placeIn}. */
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

/** The object that holds a recording. */
export const recordingObject = (index: number): string => `recordings/${index}`

/** An object of a preview, and what it is called when it is saved. */
interface PlacedObject {
  readonly object: string
  readonly name: string
}

/** What a preview has at a place; `undefined` where it has nothing. */
export const objectAt = (declaration: PreviewDeclaration, place: Place): PlacedObject | undefined => {
  if (place.kind === "recording") {
    const recording = declaration.recordings[place.index]
    return recording === undefined ? undefined : { object: recordingObject(place.index), name: recording.name }
  }
  const path = place.kind === "file" ? place.path : undefined
  const object = previewObject(declaration, path)
  return object === undefined ? undefined : { object, name: path ?? entryPath(declaration.entry) }
}

/** Whether a share link shows a place: of a run's preview it shows the recordings only. */
export const isShown = (shared: Shared, place: Place): boolean => "preview" in shared || place.kind === "recording"
