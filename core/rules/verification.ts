import type { DeclaredObject } from "../model/Artifact.ts"
import type { ObjectMisfit } from "../model/Problem.ts"

/** What was found of an object: nothing, or its size, its type if the store keeps one, its digest if one was taken. */
export interface FoundObject {
  readonly sizeBytes: number
  readonly contentType?: string | undefined
  /** The digest of the uncompressed bytes. */
  readonly digest?: string | undefined
  /** Why no digest could be taken, in words for the client. */
  readonly undigested?: string | undefined
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
  const digest = found.undigested ?? found.digest
  if (declared.contentHash !== undefined && digest !== undefined && digest !== declared.contentHash) {
    return { ...where, reason: "digest_mismatch", expected: declared.contentHash, actual: digest }
  }
  return undefined
}

/** Whether the digest of an object is taken over its decompressed bytes: by its content type or content encoding. */
export const isGzip = (contentType: string | undefined, contentEncoding: string | undefined): boolean =>
  /^application\/(?:x-)?gzip\b/i.test(contentType ?? "") || /^(?:x-)?gzip$/i.test(contentEncoding ?? "")

/** What is said in place of the digest of content that was sent as gzip and is none. */
export const notValidGzip = "not valid gzip"

/** What is said in place of the digest of content that decompresses to more than `bound` bytes. */
export const decompressesToMore = (bound: number): string => `decompresses to more than ${bound} bytes`

/**
 * The misfits of a reservation of which no more may be decompressed, without looking at what was uploaded below `prefix`.
 * Which objects were sent with a content encoding is not declared, so where none is of a gzip type it is everything with
 * a digest.
 */
export const notDecompressedAgain = (
  objects: ReadonlyArray<DeclaredObject>,
  prefix: string,
  bound: number
): ReadonlyArray<ObjectMisfit> => {
  const verified = objects.filter(({ contentHash }) => contentHash !== undefined)
  const gzip = verified.filter(({ contentType }) => isGzip(contentType, undefined))
  return (gzip.length > 0 ? gzip : verified)
    .map((object) => misfit(object, { ...object, undigested: decompressesToMore(bound) }, prefix + object.name))
    .filter((one) => one !== undefined)
}
