import { SlipwayError } from "./SlipwayError.ts"

/** The innermost reason: the errors of `fetch` have theirs in `cause`. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return error.message || code || error.name
}

/** The signal, which aborts after so many milliseconds. */
export const endingAfter = (ms: number, signal: AbortSignal | undefined): AbortSignal => {
  const timeout = AbortSignal.timeout(ms)
  return signal === undefined ? timeout : AbortSignal.any([signal, timeout])
}

/**
 * Sends once. What fails is a {@link SlipwayError}, unless the caller's signal ended it: then its reason is thrown, as
 * `fetch` does.
 */
export const attempt = async <A>(
  request: string,
  signal: AbortSignal | undefined,
  send: () => Promise<A>
): Promise<A> => {
  try {
    return await send()
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof SlipwayError) throw error
    // `fetch` throws this for a body that could not be read.
    if (error instanceof Error && error.cause instanceof SlipwayError) throw error.cause
    throw new SlipwayError(request, {
      ...(error instanceof Error && error.name === "TimeoutError"
        ? { code: "timed_out", detail: "It exceeded its timeout." }
        : { code: "connection_failed", detail: reasonOf(error) }),
      cause: error
    })
  }
}
