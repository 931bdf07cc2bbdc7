/** The rules for share links. */
import { DateTime, Duration } from "effect"
import type { ShareLink } from "../model/ShareLink.ts"

/** How long a link lives: a week by default, and at least and at most this. */
export const shareLife = {
  default: Duration.days(7),
  minimum: Duration.minutes(1),
  maximum: Duration.days(90)
}

/** The life of a link for which `asked` was requested: the nearest that `shareLife` allows. */
export const lifeOf = (asked: Duration.Duration = shareLife.default): Duration.Duration =>
  Duration.clamp(asked, shareLife)

/** Whether the link still works at `now`: it is neither revoked nor expired. */
export const isOpen = ({ expiresAt, revokedAt }: Pick<ShareLink, "expiresAt" | "revokedAt">, now: DateTime.Utc) =>
  revokedAt === undefined && DateTime.isLessThan(now, expiresAt)

/** The URL that a link's secret opens; `viewerUrl` is the viewer's base URL. */
export const shareUrl = (viewerUrl: string, secret: string): string => `${viewerUrl}/shared/${secret}`
