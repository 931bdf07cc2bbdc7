import type { DeclaredObject } from "../model/Artifact.ts"
import type { ObjectMisfit } from "../model/Problem.ts"

/** What was found of an object: nothing, or its size, its type if the store keeps one, its digest if one was taken. */
export interface FoundObject {
  readonly sizeBytes: number
  readonly contentType?: string | undefined
  /** The digest of the uncompressed bytes, or why it could not be taken. */
  readonly digest?: string | undefined
}

/** Compares what was declared with what was found. `undefined` when all of it fits. */
export const misfit = (
  declared: DeclaredObject,
  found: FoundObject | undefined,
  objectKey: string
): ObjectMisfit | undefined => {
  const where = declared.path === undefined ? { objectKey } : { objectKey, path: declared.path }
  if (found === undefined) return { ...where, reason: "missing", expected: declared.sizeBytes, actual: null }
  if (found.sizeBytes !== declared.sizeBytes) {
    return { ...where, reason: "size_mismatch", expected: declared.sizeBytes, actual: found.sizeBytes }
  }
  if (found.contentType !== undefined && found.contentType !== declared.contentType) {
    return { ...where, reason: "content_type_mismatch", expected: declared.contentType, actual: found.contentType }
  }
  if (declared.contentHash !== undefined && found.digest !== undefined && found.digest !== declared.contentHash) {
    return { ...where, reason: "digest_mismatch", expected: declared.contentHash, actual: found.digest }
  }
  return undefined
}

/** Whether the digest of an object is taken over its decompressed bytes: by its content type or content encoding. */
export const isGzip = (contentType: string | undefined, contentEncoding: string | undefined): boolean =>
  /^application\/(?:x-)?gzip\b/i.test(contentType ?? "") || /^(?:x-)?gzip$/i.test(contentEncoding ?? "")
