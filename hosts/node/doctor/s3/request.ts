import { Effect } from "effect"
import { probeTimeouts } from "../../engineErrors/reachBucket.ts"

/** A store's answer to a request that anybody with the URL can send. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** S3's error code, or the HTTP status. */
  readonly code: string
}

/** Sends a request to a presigned URL, without credentials. Returns `undefined` if the store doesn't answer. */
export const request = (url: string, init: RequestInit = {}): Effect.Effect<Answer | undefined> =>
  Effect.tryPromise(async (interrupted) => {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(probeTimeouts.whole)])
    const response = await fetch(url, { ...init, signal })
    const [, code] = /<Code>([^<]+)<\/Code>/.exec(await response.text()) ?? []
    return { status: response.status, headers: response.headers, code: code ?? String(response.status) }
  }).pipe(Effect.orElseSucceed(() => undefined))
