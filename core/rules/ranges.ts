import type { ByteRange } from "../model/Artifact.ts"

const form = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i

/**
 * The range that a `Range` header asks for. `undefined` for several ranges and for units other than bytes: those requests
 * get the whole object, as RFC 9110 §14.2 allows.
 */
const parseRange = (header: string): ByteRange | undefined => {
  const [, first, last, suffix] = form.exec(header) ?? []
  if (suffix !== undefined) return { suffix: Number(suffix) }
  if (first === undefined) return undefined
  const offset = Number(first)
  if (last === undefined || last === "") return { offset }
  return Number(last) < offset ? undefined : { offset, length: Number(last) - offset + 1 }
}

/**
 * The range of bytes that a request asks for. With an `If-Range` header that differs from the strong `validator` of the
 * object, the range is ignored (RFC 9110 §13.1.5).
 */
export const requestedRange = (
  headers: Readonly<Record<string, string | undefined>>,
  validator?: string
): ByteRange | undefined => {
  const condition = headers["if-range"]
  return condition === undefined || condition === validator ? parseRange(headers["range"] ?? "") : undefined
}
