import { unfit, type Source } from "./bodies.ts"
import type { Content } from "./contents.ts"
import type { Platform } from "./Platform.ts"
import { SlipwayError } from "./SlipwayError.ts"

/** A body to send, with its fields of the reservation. Errors call it `name`. */
export interface Prepared<A extends Content> {
  readonly name: string
  readonly source: Source
  readonly declared: Omit<A, "body"> & { readonly sizeBytes: number; readonly contentHash?: string }
}

/** The service, too, uses this to find bodies whose digest is that of the uncompressed bytes. */
const gzip = /^application\/(?:x-)?gzip\b/i

/**
 * Opens a body, and reads it if its size or digest is unknown and it can be read again. `isRequired`: the digest is
 * required.
 */
export const prepare = async <A extends Content>(
  { measure, open }: Platform,
  name: string,
  content: A,
  { isRequired, signal }: { readonly isRequired: boolean; readonly signal: AbortSignal }
): Promise<Prepared<A>> => {
  const { body, ...declared } = content
  try {
    const source = await open(body, signal)
    if (content.sizeBytes !== undefined && source.sizeBytes !== undefined && content.sizeBytes !== source.sizeBytes) {
      throw unfit(name, `It has ${source.sizeBytes} bytes, and ${content.sizeBytes} were declared.`)
    }
    const isKnown = (content.sizeBytes ?? source.sizeBytes) !== undefined && content.contentHash !== undefined
    const measured =
      isKnown || !source.isRepeatable
        ? {}
        : await measure(source, { isGzip: gzip.test(content.contentType), isRequired, signal })
    const sizeBytes = content.sizeBytes ?? source.sizeBytes ?? measured.sizeBytes
    if (sizeBytes === undefined) throw unfit(name, "sizeBytes is required for a stream.")
    const contentHash = content.contentHash ?? measured.contentHash
    if (contentHash === undefined && isRequired) {
      throw unfit(name, "contentHash is required: it can't be computed for a stream, or on a page without HTTPS.")
    }
    return { name, source, declared: { ...declared, sizeBytes, ...(contentHash === undefined ? {} : { contentHash }) } }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SlipwayError) throw error
    throw unfit(name, error instanceof Error ? error.message : String(error), error)
  }
}
