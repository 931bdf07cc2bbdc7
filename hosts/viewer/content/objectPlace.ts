import type { PreviewDeclaration } from "../../../core/model/Preview.ts"
import type { Shared } from "../../../core/model/ShareLink.ts"
import { entryPath, pathOf } from "./entry.ts"
import { previewObject } from "./hosted.ts"

/** An object of a preview, and what it is called outside of it. */
export interface PlacedObject {
  readonly object: string
  readonly name: string
}

/** The place of a file in a URL. */
export const filePlace = (path: string): string => `files/${path.split("/").map(encodeURIComponent).join("/")}`

/** The place of a recording in a URL. */
export const recordingPlace = (index: number | string): string => `recordings/${index}`

/** The object of a preview at a place of a URL: `bundle`, `files/` and the file's path, `recordings/` and its index. */
export const objectAt = (declaration: PreviewDeclaration, place: string): PlacedObject | undefined => {
  if (place.startsWith("recordings/")) {
    const recording = declaration.recordings[Number(place.slice("recordings/".length))]
    return recording === undefined ? undefined : { object: place, name: recording.name }
  }
  const path = place === "bundle" ? undefined : pathOf(place.slice("files/".length))
  if (path === undefined && place !== "bundle") return undefined
  const object = previewObject(declaration, path)
  return object === undefined ? undefined : { object, name: path ?? entryPath(declaration.entry) }
}

/** Whether a share link shows what is at a place: of the preview of a run that is what was recorded, and nothing else. */
export const isShown = (shared: Shared, place: string): boolean =>
  "preview" in shared || place.startsWith("recordings/")
