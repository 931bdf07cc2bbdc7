import type { ByteRange } from "../../core/ports/ObjectStore.ts"

const form = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/i

/**
 * The range of bytes that a request asks for. Several ranges, what is no range, and a range under a condition mean the
 * whole object, as RFC 9110 §14.2 allows.
 */
export const requestedRange = (headers: Readonly<Record<string, string | undefined>>): ByteRange | undefined => {
  if (headers["if-range"] !== undefined) return undefined
  const [, first, last, suffix] = form.exec(headers["range"] ?? "") ?? []
  if (suffix !== undefined) return { suffix: Number(suffix) }
  if (first === undefined) return undefined
  const offset = Number(first)
  if (last === undefined || last === "") return { offset }
  return Number(last) < offset ? undefined : { offset, length: Number(last) - offset + 1 }
}
