import { SlipwayError } from "./SlipwayError.ts"

/** Time and chance, which tests set. */
export interface Timing {
  /** The time, in milliseconds since 1970. */
  readonly now: () => number
  /** Waits so many milliseconds; rejects when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

/** The clock of the machine. */
export const realTiming: Timing = {
  now: Date.now,
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", end)
        resolve()
      }, ms)
      signal?.addEventListener("abort", end, { once: true })
    })
}

const firstDelay = 500
const longestBackoff = 20_000
const longestWait = 60_000

/** What a `Retry-After` asks for, in milliseconds: its seconds, or the time until its date. @see RFC 9110 §10.2.3 */
export const retryAfterMs = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Answers about a transient state of the service. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * The failures to retry: all transient ones, those of requests that were refused for now, only rate limits (which no proxy
 * answers after the request was carried out), or none.
 */
export type Again = "whatever passes" | "when refused" | "when limited" | "never"

/** Node's code for a certificate that it refuses, such as `CERT_HAS_EXPIRED`; `undefined` for an error of another kind. */
export const refusedCertificate = (error: Error): string | undefined => {
  const code = "code" in error ? String(error.code) : ""
  if (/^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/.test(code)) return code
  return error.cause instanceof Error ? refusedCertificate(error.cause) : undefined
}

const mayPass = (error: SlipwayError, again: Again): boolean => {
  const { code, status } = error
  if (again === "never" || refusedCertificate(error) !== undefined) return false
  // GitHub answers 403 for a rate limit.
  if (code === "rate_limited") return true
  if (again === "when limited") return status === 429
  if (again === "when refused") return status === 429 || status === 503
  return status === undefined ? code === "connection_failed" || code === "timed_out" : passing.has(status)
}

/** How a request is tried. */
interface Tries {
  readonly again: Again
  readonly retries: number
  readonly signal: AbortSignal | undefined
  readonly timing: Timing
  /** The longest wait that the service may ask for, in milliseconds: a minute by default. */
  readonly longestWaitMs?: number
  /** Called before each wait. */
  readonly onWait?: (error: SlipwayError, ms: number) => void
}

/**
 * Retries transient failures at most `retries` times. Between two attempts it waits a random time below a bound that
 * doubles (half a second, a second, two, up to twenty), and never less than the service asked for. When that is more
 * than `longestWaitMs`, the call fails instead.
 */
export const retrying = async <A>(
  attempt: () => Promise<A>,
  { again, longestWaitMs = longestWait, onWait, retries, signal, timing }: Tries
): Promise<A> => {
  for (let made = 0; ; made += 1) {
    signal?.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal?.throwIfAborted()
      if (made >= retries || !(error instanceof SlipwayError) || !mayPass(error, again)) throw error
      const backoff = timing.random() * Math.min(firstDelay * 2 ** made, longestBackoff)
      const delay = Math.max(error.retryAfterMs ?? 0, backoff)
      if (delay > longestWaitMs) throw error
      onWait?.(error, delay)
      await timing.wait(delay, signal)
    }
  }
}

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
