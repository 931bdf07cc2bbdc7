import { Predicate } from "effect"
import { repeatedPath, repeatedPaths } from "../../model/Artifact.ts"
import type { Issue } from "../../model/Problem.ts"

/** The repeated paths among the declared files of a body, whether or not the rest of it is valid. */
export const repeatedFilePaths = (body: unknown): ReadonlyArray<Issue> => {
  const files: unknown = Predicate.hasProperty(body, "files") ? body.files : undefined
  if (!Array.isArray(files)) return []
  const declared = files.map((file: unknown) => (Predicate.hasProperty(file, "path") ? { path: file.path } : {}))
  return repeatedPaths(declared).map((index) => ({ path: `files.${index}.path`, message: repeatedPath }))
}
