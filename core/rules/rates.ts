import { RateLimited } from "../model/Problem.ts"

/** How many requests a minute each rate limit admits; one that is absent admits any number. */
export interface Rates {
  /** Requests to the API with one key. */
  readonly key?: number | undefined
  /** Requests to the API of one account, with whichever keys. */
  readonly account?: number | undefined
  /** Wrong keys, identity tokens and share links from one address; right ones are not counted. */
  readonly guesses?: number | undefined
}

export const defaultRates: Rates = { guesses: 300 }

/** The seconds in which a limit fills. */
export const ratePeriodSeconds = 60

/**
 * How many requests a host takes of a limit at once, to ask the store seldom: what one host has taken and not used, the others
 * lack for up to a minute.
 */
export const rateLeaseSize = (limit: number): number => Math.max(1, Math.floor(limit / 100))

const subjects: Readonly<Record<keyof Rates, (limit: number) => string>> = {
  key: (limit) => `This key may make ${limit} requests a minute`,
  account: (limit) => `This account may make ${limit} requests a minute`,
  guesses: (limit) => `More than ${limit} keys or links a minute from this address were wrong`
}

const inSeconds = (seconds: number): string => `${seconds} second${seconds === 1 ? "" : "s"}`

/** The refusal of a request over a limit, with room again after so many milliseconds. */
export const rateLimited = (policy: keyof Rates, limit: number, retryAfterMillis: number): RateLimited => {
  const seconds = Math.max(1, Math.ceil(retryAfterMillis / 1000))
  return new RateLimited({
    detail: `${subjects[policy](limit)}; wait ${inSeconds(seconds)} before the next.`,
    policy,
    limit,
    windowSeconds: ratePeriodSeconds,
    retryAfterSeconds: seconds
  })
}

/** The refusal of a request of an account or address with too many others, the first of which has waited for `waitedMillis`. */
export const tooManyRequests = (atOnce: number, waiting: number, waitedMillis: number): RateLimited => {
  const seconds = Math.min(30, Math.max(1, Math.ceil(waitedMillis / 1000)))
  return new RateLimited({
    detail: `${atOnce} requests of this client are processed at once, and ${waiting} others wait; wait ${inSeconds(seconds)} before the next.`,
    policy: "concurrency",
    limit: atOnce,
    retryAfterSeconds: seconds
  })
}
