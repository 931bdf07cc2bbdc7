import { Schema } from "effect"

/** Whether a URL's host name is that of the machine itself: `localhost` or a loopback address. */
export const isThisMachine = (hostname: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Without TLS, what is told could be read and answered by others on the way; on the machine itself there are none. */
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
