import type { DeclaredObject } from "../model/Artifact.ts"
import type { ObjectMismatch } from "../model/Problem.ts"
import type { Located } from "./reservations.ts"

/** What is known of an uploaded object: its size, its type if the store keeps one, its digest if it was computed. */
export interface FoundObject {
  readonly sizeBytes: number
  readonly contentType?: string | undefined
  /** The digest of the uncompressed bytes. */
  readonly digest?: string | undefined
  /** The reason why no digest could be computed, in words for the client. */
  readonly undigested?: string | undefined
}

/** Compares a declared object with the one that was found. `undefined` when they agree. */
export const findMismatch = (
  declared: DeclaredObject,
  found: FoundObject | undefined,
  objectKey: string
): ObjectMismatch | undefined => {
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

/**
 * Compares an object of a finalized upload with what lies under its key. What is shared has the content type of the object that was
 * stored first, which says no more than that it isn't gzip.
 */
export const findHostedMismatch = (
  object: Located,
  { contentType, ...found }: FoundObject
): ObjectMismatch | undefined =>
  findMismatch(
    object,
    object.isShared && !isGzip(contentType, undefined) ? found : { ...found, contentType },
    object.key
  )

/** Whether the digest of an object is that of its decompressed bytes. The content type or content encoding decides. */
export const isGzip = (contentType: string | undefined, contentEncoding: string | undefined): boolean =>
  /^application\/(?:x-)?gzip\b/i.test(contentType ?? "") || /^(?:x-)?gzip$/i.test(contentEncoding ?? "")

/** The content encodings whose content can be verified. */
export const acceptedEncodings = ["gzip", "identity"] as const

/** Whether content of an encoding can be verified: RFC 9110 has `x-gzip` as another name of gzip. */
export const isAcceptedEncoding = (contentEncoding: string | undefined): boolean =>
  contentEncoding === undefined || /^(?:(?:x-)?gzip|identity)$/i.test(contentEncoding)

/** What a mismatch reports instead of a digest for content of another encoding. */
export const notVerifiable = (contentEncoding: string): string =>
  `content encoding ${contentEncoding}, which can't be verified: send ${acceptedEncodings.join(" or ")}`

/** What a mismatch reports instead of a digest for content that was sent as gzip and is not gzip. */
export const notValidGzip = "not valid gzip"

/** What a mismatch reports instead of a digest for content that decompresses to more than `bound` bytes. */
export const decompressesToMore = (bound: number): string => `decompresses to more than ${bound} bytes`

/**
 * The mismatches of a reservation of which no more may be decompressed, without a look at the objects below `prefix`. These
 * are the objects of a gzip type. If there are none, all objects with a digest are reported: which of them were sent with
 * a content encoding is not declared.
 */
export const notDecompressedAgain = (
  objects: ReadonlyArray<DeclaredObject>,
  prefix: string,
  bound: number
): ReadonlyArray<ObjectMismatch> => {
  const verified = objects.filter(({ contentHash }) => contentHash !== undefined)
  const gzip = verified.filter(({ contentType }) => isGzip(contentType, undefined))
  return (gzip.length > 0 ? gzip : verified)
    .map((object) => findMismatch(object, { ...object, undigested: decompressesToMore(bound) }, prefix + object.name))
    .filter((one) => one !== undefined)
}
