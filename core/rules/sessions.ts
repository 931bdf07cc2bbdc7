/** The rules for the viewer's sessions. */
import { DateTime, Duration } from "effect"
import type { Session, SessionSource } from "../model/Session.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"

/** How long a session lives, unless it is ended before or its key ends. */
export const sessionLife = Duration.days(7)

/** Whether a session has not expired at `now`. It is expired from the instant `expiresAt` on. */
export const isSessionLive = ({ expiresAt }: Pick<Session, "expiresAt">, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, expiresAt)

/** A text without control characters, cut to `length`; `undefined` when nothing is left. */
const kept = (said: string | undefined, length: number): string | undefined => {
  const cleaned = said
    ?.replaceAll(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, length)
    .trim()
    .toWellFormed()
  return cleaned === "" ? undefined : cleaned
}

/**
 * What is stored of where somebody signed in from. The address and `User-Agent` may contain anything, so control characters
 * become spaces and long texts are cut.
 */
export const storedSource = (said: {
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
}): SessionSource => {
  return withoutUndefined({ address: kept(said.address, 64), userAgent: kept(said.userAgent, 512) })
}
