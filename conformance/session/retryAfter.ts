import type { Answer } from "./Exchange.ts"

/** How often a request is repeated, and the greatest total wait in milliseconds. */
const most = { times: 5, waitMs: 30_000 }

const waitOf = (header: string, now: number): number | undefined => {
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/**
 * The wait in milliseconds before a request is repeated: what `Retry-After` of a 429 or 503 says, or after a 429
 * without it one second, then two, then four. `undefined` when the request isn't repeated.
 */
export const waitBefore = (
  { headers, status }: Answer,
  retries: number,
  waitedMs: number,
  now: number
): number | undefined => {
  if ((status !== 429 && status !== 503) || retries >= most.times) return undefined
  const header = headers["retry-after"]
  const waitMs = header === undefined ? (status === 429 ? 1000 * 2 ** retries : undefined) : waitOf(header, now)
  return waitMs === undefined || waitedMs + waitMs > most.waitMs ? undefined : waitMs
}
