import { DateTime, Duration, Option } from "effect"

/** How often an event is tried to be delivered, before it is given up. The pauses between come to some two days. */
export const mostAttempts = 16

/** What comes of an attempt that failed, the first being 1. */
export const statusOfFailed = (attempt: number): "failed" | "given up" =>
  attempt < mostAttempts ? "failed" : "given up"

const shortest = Duration.seconds(2)
const longest = Duration.hours(5)

/** The longest pause that a receiver may ask for. */
const longestAsked = Duration.days(1)

/** The pause after so many attempts: 2 seconds, 8, 32 and so on up to 5 hours, and up to a quarter less or more. */
const pauseAfter = (attempts: number, spread: number): Duration.Duration =>
  Duration.times(Duration.min(Duration.times(shortest, 4 ** Math.min(attempts - 1, 10)), longest), 0.75 + spread / 2)

/**
 * When an event that couldn't be delivered at `now` is due again; none when it is to be given up. `attempts` counts the
 * failed one too, and `spread`, from 0 to 1, is random, so that those who failed together don't come together again. A
 * receiver that asked for a longer pause (`retryAfter`) gets it, up to a day.
 */
export const nextAttempt = ({
  attempts,
  now,
  retryAfter = Duration.zero,
  spread
}: {
  readonly attempts: number
  readonly now: DateTime.Utc
  readonly retryAfter?: Duration.Duration | undefined
  readonly spread: number
}): Option.Option<DateTime.Utc> => {
  const pause = Duration.max(pauseAfter(attempts, spread), Duration.min(retryAfter, longestAsked))
  return attempts < mostAttempts ? Option.some(DateTime.addDuration(now, pause)) : Option.none()
}
