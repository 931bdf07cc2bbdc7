import { fine, wrong, type Clock, type Finding } from "./Finding.ts"

/**
 * Hosts and stores use their own clocks to decide when URLs, tokens and keys expire. A difference up to a minute is
 * harmless.
 */
const tolerated = 60_000

/** A length of time for people: `4 m 59 s`, `12 s`. */
const long = (millis: number): string => {
  const seconds = Math.round(Math.abs(millis) / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} m ${seconds % 60} s`
}

const isBeyond =
  (limit: number) =>
  ({ aheadMillis, exactToMillis }: Clock): boolean =>
    Math.abs(aheadMillis) - exactToMillis > limit

const compared = (clock: Clock): string => {
  if (!isBeyond(1000)(clock)) return `${clock.of}'s is the same`
  return `${clock.of}'s is ${long(clock.aheadMillis)} ${clock.aheadMillis < 0 ? "behind" : "ahead of"} it`
}

/** Compares the servers' clocks with this machine's, and says whose is probably wrong. */
export const clockFinding = (clocks: ReadonlyArray<Clock>): Finding => {
  const name = "clock"
  const detail = `beside this machine's, ${clocks.map(compared).join(", ")}`
  const off = clocks.filter(isBeyond(tolerated))
  if (off.length === 0) return fine(name, detail)
  const others = clocks.map(({ aheadMillis }) => aheadMillis)
  const agree = clocks.length > 1 && Math.max(...others) - Math.min(...others) <= tolerated
  // If the servers agree with each other but not with this machine, this machine is wrong.
  const whose = agree
    ? "this machine's"
    : clocks.length > off.length
      ? `${off.map(({ of }) => of).join(" and ")}'s`
      : "all"
  return wrong(name, { detail, hint: `set ${whose} by NTP: these clocks decide when URLs, sessions and tokens expire` })
}
