import type { Effect } from "effect"
import type { Site } from "../access/site.ts"
import { filePlace, recordingPlace } from "./objectPlace.ts"
import type { shownPreview } from "./shownPreview.ts"

/**
 * A preview as a share link shows it, on the page at `path`. The URLs of its objects are the link's own, as the lasting ones
 * ask for a key. The account is left out.
 */
export const throughLink = (
  { metadata, openings }: Effect.Success<ReturnType<typeof shownPreview>>,
  site: Site["Service"],
  path: string
) => {
  const url = (place: string) =>
    openings === undefined ? {} : { url: new URL(openings.objectsPath, site.origin).href + place }
  const { bundle, files, recordings } = metadata
  return {
    metadata: {
      ...metadata,
      bundle: { ...bundle, ...url("bundle") },
      files: files.map((file) => ({ ...file, ...url(filePlace(file.path)) })),
      recordings: recordings.map((recording, index) => ({ ...recording, ...url(recordingPlace(index)) }))
    },
    openings: openings === undefined ? undefined : { ...openings, viewPath: `${site.base}${path}/view` }
  }
}
