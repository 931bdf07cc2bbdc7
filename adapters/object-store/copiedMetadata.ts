import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { isGzip } from "../../core/rules/verification.ts"

/** The metadata of an object. */
interface Facts {
  readonly contentType: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

/**
 * The metadata of a copy, without other properties that `facts` may have. A copy with another content type has that type and no content encoding. It has the digest only if that
 * is still the digest of its content.
 */
export const copiedMetadata = (facts: Facts, contentType: string | undefined): Facts => {
  const { contentEncoding, contentHash } = facts
  if (contentType === undefined)
    return { contentType: facts.contentType, ...withoutUndefined({ contentEncoding, contentHash }) }
  const isPlain = !isGzip(facts.contentType, contentEncoding) && !isGzip(contentType, undefined)
  return isPlain && contentHash !== undefined ? { contentType, contentHash } : { contentType }
}
