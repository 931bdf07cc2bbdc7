import { Clock, Effect } from "effect"
import { withoutUndefined } from "../model/withoutUndefined.ts"

/** The kinds of secrets that attempts have. */
export const attemptKinds = ["api_key", "identity_token", "oidc_sign_in", "share_link", "sign_in"] as const

/** An attempt with a secret, as it is logged. It contains no secret, and no text that the client chooses. */
export interface Attempt {
  readonly kind: (typeof attemptKinds)[number]
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
const maxClients = 10_000

const isSampled = (count: number, most: number) => count <= most || count % thenEvery === 0

/**
 * Logs at most 10 times a minute of each client and 1,000 of all, then every hundredth time, so that nobody can fill the log. The
 * line is given how often the client came in the minute so far.
 */
export const makeSampledLog = () => {
  let minute = -1
  let lines = 0
  const timesOf = new Map<string, number>()
  return Effect.fnUntraced(function* (client = "unknown", line: (times: number) => Effect.Effect<void>) {
    const current = Math.floor((yield* Clock.currentTimeMillis) / 60_000)
    if (current !== minute) {
      minute = current
      lines = 0
      timesOf.clear()
    }
    const counted = timesOf.has(client) || timesOf.size < maxClients ? client : "others"
    const times = (timesOf.get(counted) ?? 0) + 1
    timesOf.set(counted, times)
    if (!isSampled(times, ofClient)) return
    lines += 1
    if (isSampled(lines, ofAll)) yield* line(times)
  })
}

/** Logs failed attempts, one sampled line each. `failures` is how many the client made in the minute so far. */
export const makeSecurityLog = () => {
  const log = makeSampledLog()
  return ({ client, ...attempt }: Attempt) =>
    log(client, (failures) =>
      Effect.annotateLogs(Effect.logWarning("Authentication failed"), withoutUndefined({ ...attempt, failures }))
    )
}
