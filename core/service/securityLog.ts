import { Clock, Effect } from "effect"
import { withoutUndefined } from "../model/withoutUndefined.ts"

/** An attempt with a secret, as it is logged. It contains no secret, and no text that the client chooses. */
export interface Attempt {
  /** The kind of secret. */
  readonly kind: "api_key" | "identity_token" | "oidc_sign_in" | "share_link" | "sign_in"
  /** What counts as one client: an IPv4 address or a network of IPv6. */
  readonly client?: string | undefined
  /** The address of the client, where the host knows it. */
  readonly address?: string | undefined
  /** The pattern of the path, such as `/api/v1/builds/:id`. */
  readonly route?: string | undefined
  /** The first characters of an API key: too few to use it, enough to find it among one's own. */
  readonly keyPrefix?: string | undefined
}

/** How many lines a minute are logged of one client and of all; of what follows, every hundredth. */
const [ofClient, ofAll, thenEvery] = [10, 1000, 100]

/** How many clients are counted separately per minute. Further ones are counted as one. */
const mostClients = 10_000

const isSampled = (count: number, most: number) => count <= most || count % thenEvery === 0

/**
 * Logs failed attempts, one line each: at most 10 a minute of each client and 1,000 of all, then every hundredth. `failures` is
 * how many the client made in the minute so far.
 */
export const makeSecurityLog = () => {
  let minute = -1
  let lines = 0
  const failuresOf = new Map<string, number>()
  return Effect.fnUntraced(function* ({ client = "unknown", ...attempt }: Attempt) {
    const current = Math.floor((yield* Clock.currentTimeMillis) / 60_000)
    if (current !== minute) {
      minute = current
      lines = 0
      failuresOf.clear()
    }
    const counted = failuresOf.has(client) || failuresOf.size < mostClients ? client : "others"
    const failures = (failuresOf.get(counted) ?? 0) + 1
    failuresOf.set(counted, failures)
    if (!isSampled(failures, ofClient)) return
    lines += 1
    if (!isSampled(lines, ofAll)) return
    yield* Effect.annotateLogs(Effect.logWarning("Authentication failed"), withoutUndefined({ ...attempt, failures }))
  })
}
