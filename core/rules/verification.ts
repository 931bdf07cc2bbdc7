import type { DeclaredObject } from "../model/Artifact.ts"
import type { ObjectMismatch } from "../model/Problem.ts"
import type { Located } from "./reservations.ts"
import type { AccountId } from "../model/Account.ts"
import { ObjectKey, type Content, type HostedObject } from "../model/HostedObject.ts"
import type { StoredUpload } from "../model/Reservation.ts"

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

// Which uploads an account can skip, because it finalized the same bytes before. Only objects of the same account count, because a client can know a digest without having the bytes.
//
// | declared object | the same account's object | decided |
// | --- | --- | --- |
// | without a digest | any | it is uploaded |
// | of a gzip type | any | it is uploaded: its digest says nothing of the packed bytes |
// | with a digest | hosted, same digest and size | it shares the hosted object |

/** What an object's bytes are known by, if other bytes of the same digest and size are the same. */
const contentOf = ({ contentHash, contentType, sizeBytes }: DeclaredObject): Content | undefined =>
  contentHash === undefined || isGzip(contentType, undefined) ? undefined : { contentHash, sizeBytes }

const textOf = ({ contentHash, sizeBytes }: Content): string => `${contentHash} ${sizeBytes}`

/** One of each content. */
const distinct = <A extends Content>(contents: ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.from(new Map(contents.map((content) => [textOf(content), content])).values())

/** The contents that may be hosted already, each once. */
export const contentsOf = (objects: ReadonlyArray<DeclaredObject>): ReadonlyArray<Content> =>
  distinct(objects.flatMap((object) => contentOf(object) ?? []))

/** Finds the hosted object that has the bytes of a declared one. */
export const finderIn = (
  hosted: ReadonlyArray<HostedObject>
): ((object: DeclaredObject) => HostedObject["objectKey"] | undefined) => {
  const keys = new Map(hosted.map((one) => [textOf(one), one.objectKey]))
  return (object) => {
    const content = contentOf(object)
    return content && keys.get(textOf(content))
  }
}

/** Whether a hosted object is in the store, according to the store's listing. */
export const isAsHosted = (
  listed: ReadonlyArray<{
    readonly key: string
    readonly sizeBytes: number
    readonly contentHash?: string
    readonly contentEncoding?: string
  }>
): ((hosted: HostedObject) => boolean) => {
  const there = new Map(listed.map((object) => [object.key, object]))
  return ({ contentHash, objectKey, sizeBytes }) => {
    const listedObject = there.get(objectKey)
    return (
      listedObject?.sizeBytes === sizeBytes &&
      (listedObject.contentHash ?? contentHash) === contentHash &&
      listedObject.contentEncoding === undefined
    )
  }
}

/** The objects of which an account has not hosted the bytes yet; of several with the same bytes, the first. */
export const notHosted = (
  objects: ReadonlyArray<DeclaredObject>,
  hosted: ReadonlyArray<HostedObject>
): ReadonlyArray<DeclaredObject> => {
  const known = new Set(hosted.map(textOf))
  return objects.filter((object) => {
    const content = contentOf(object)
    if (content === undefined) return true
    const text = textOf(content)
    return !known.has(text) && known.add(text)
  })
}

/** The objects of an upload, and which of them a finalize promoted and verified. */
interface PromotedUpload {
  readonly accountId: AccountId
  readonly objects: ReadonlyArray<DeclaredObject>
  /** The key prefix below which the promoted ones lie. */
  readonly prefix: string
  readonly promoted: ReadonlySet<string>
  /** Which of these are stored without a content encoding. */
  readonly unencoded: ReadonlySet<string>
}

/** How a finalize stores an upload. */
interface StorageDecision {
  readonly stored: StoredUpload
  /** The promoted objects that further uploads can share; no two of them have the same content. */
  readonly hosted: ReadonlyArray<HostedObject>
  /** The keys of promoted objects whose bytes are stored elsewhere. */
  readonly spare: ReadonlyArray<string>
  /** The objects that were not promoted, and are not hosted either. */
  readonly missing: ReadonlyArray<DeclaredObject>
}

/**
 * Decides which objects of an upload share the bytes of others, so that an account's equal bytes are stored once:
 *
 * | the object's bytes are | it was promoted | decided |
 * | --- | --- | --- |
 * | hosted | either | it shares the hosted object |
 * | not hosted, and those of an earlier object of this upload | yes | it shares that one |
 * | not hosted, the first of their content here | yes | it is stored, for others to share |
 * | without a digest, gzip, or with a content encoding | yes | it is stored for this upload alone |
 * | not hosted | no | it is missing |
 */
export const decideStoring = (
  { accountId, objects, prefix, promoted, unencoded }: PromotedUpload,
  present: ReadonlyArray<HostedObject>
): StorageDecision => {
  const keys = new Map(present.map((one) => [textOf(one), one.objectKey]))
  const shared: Record<string, ObjectKey> = {}
  const hosted: Array<HostedObject> = []
  const spare: Array<string> = []
  const missing: Array<DeclaredObject> = []
  const bytes = { newBytes: 0, ownBytes: 0 }
  for (const object of objects) {
    const { name, sizeBytes } = object
    const [isPromoted, content] = [promoted.has(name), contentOf(object)]
    const sharable = content !== undefined && (!isPromoted || unencoded.has(name)) ? content : undefined
    const key = sharable && keys.get(textOf(sharable))
    if (key !== undefined) {
      shared[name] = key
      if (isPromoted) spare.push(prefix + name)
    } else if (!isPromoted) {
      missing.push(object)
    } else {
      bytes.newBytes += sizeBytes
      if (sharable === undefined) bytes.ownBytes += sizeBytes
      else {
        const objectKey = ObjectKey.make(prefix + name)
        keys.set(textOf(sharable), objectKey)
        hosted.push({ accountId, ...sharable, objectKey })
      }
    }
  }
  return { stored: { ...bytes, shared }, hosted, spare, missing }
}
