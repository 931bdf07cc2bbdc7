/**
 * Which uploads an account can spare, because it finalized the same bytes before. Only ever its own: whoever knows a digest
 * needn't have the bytes.
 *
 * | declared object | hosted for the same account | decided |
 * | --- | --- | --- |
 * | without a digest | anything | it is uploaded |
 * | of a gzip type | anything | it is uploaded: its digest says nothing of the packed bytes |
 * | with a digest | same digest and size | it is copied |
 */
import type { AccountId } from "../model/Account.ts"
import type { DeclaredObject } from "../model/Artifact.ts"
import type { Content, HostedObject } from "../model/HostedObject.ts"
import { ObjectKey } from "../model/ObjectKey.ts"
import { isGzip } from "./verification.ts"

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

/** What to keep of objects that were verified below `prefix` and are stored without a content encoding. */
export const hostedObjects = (
  accountId: AccountId,
  prefix: string,
  objects: ReadonlyArray<DeclaredObject>
): ReadonlyArray<HostedObject> =>
  distinct(
    objects.flatMap((object) => {
      const content = contentOf(object)
      return content === undefined ? [] : [{ accountId, ...content, objectKey: ObjectKey.make(prefix + object.name) }]
    })
  )
