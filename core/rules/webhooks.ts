import { DateTime, Duration, Schema } from "effect"
import type { WebhookState } from "../model/Webhook.ts"

/** Whether a URL's host name is that of the machine itself: `localhost` or a loopback address. */
export const isThisMachine = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Without TLS, events could be read and answered by others on the way; on the machine itself there are none. */
const isSafe = (value: string): boolean => {
  const url = URL.parse(value)
  if (url === null || url.hash !== "" || url.username !== "" || url.password !== "") return false
  return url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname))
}

/** What is wrong with a URL that isn't a webhook's. */
export const webhookUrlRule =
  "must be an https URL without user, password or fragment; http only for this machine, such as http://127.0.0.1:9000/"

/** A URL that a webhook may have. */
export const WebhookUrl = Schema.String.check(Schema.makeFilter((value: string) => isSafe(value) || webhookUrlRule))

/** How long every delivery to a webhook must have failed before it is disabled. */
const disabledAfter = Duration.days(3)

/** The longest pause between deliveries to a webhook that fails, unless its receiver asks for a longer one. */
const longestPause = Duration.hours(1)

/** The longest pause that a receiver may ask for. */
const longestAsked = Duration.days(1)

/** A webhook's state after a delivery to it failed at `now`. It is disabled once all have failed for three days. */
export const afterFailure = ({ disabledAt, failingSince: since }: WebhookState, now: DateTime.Utc): WebhookState => {
  const failingSince = since ?? now
  const isOver = DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(failingSince, disabledAfter))
  if (disabledAt !== undefined) return { failingSince, disabledAt }
  return isOver ? { failingSince, disabledAt: now } : { failingSince }
}

/**
 * Until when a webhook is not tried again that has been failing since `failingSince`: as long again as it has been failing,
 * up to an hour. A receiver that asked for a longer pause (`retryAfter`) gets it, up to a day.
 */
export const pausedUntil = (
  failingSince: DateTime.Utc,
  now: DateTime.Utc,
  retryAfter: Duration.Duration = Duration.zero
): DateTime.Utc => {
  const pause = Duration.min(DateTime.distance(failingSince, now), longestPause)
  return DateTime.addDuration(now, Duration.max(pause, Duration.min(retryAfter, longestAsked)))
}
