/** What is decided of the viewer's sessions. */
import { DateTime, Duration } from "effect"
import type { Session, SessionSource } from "../model/Session.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"

/** How long a session lives, unless it is ended before or its key ends. */
export const sessionLife = Duration.days(7)

/** Whether a session is not past its time. The instant at which it expires is already too late. */
export const isSessionLive = ({ expiresAt }: Pick<Session, "expiresAt">, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, expiresAt)

/** As much of a text as is kept; `undefined` when nothing is left of it. */
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
 * Where somebody signed in from, as it is kept: the address and `User-Agent` are anyone's text, so control characters
 * become spaces and what is too long is cut.
 */
export const keptSource = (said: {
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
}): SessionSource => {
  return withoutUndefined({ address: kept(said.address, 64), userAgent: kept(said.userAgent, 512) })
}
