import { isGzip } from "../../core/rules/verification.ts"

/** What is told of an object beside its bytes. */
interface Facts {
  readonly contentType: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

/**
 * What is told of a copy: of one under another content type that type, no content encoding, and the digest if it is still
 * that of the copy's content.
 */
export const retyped = (facts: Facts, contentType: string | undefined): Facts => {
  if (contentType === undefined) return facts
  const { contentEncoding, contentHash } = facts
  const isPlain = !isGzip(facts.contentType, contentEncoding) && !isGzip(contentType, undefined)
  return isPlain && contentHash !== undefined ? { contentType, contentHash } : { contentType }
}
