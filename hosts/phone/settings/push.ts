type Fields = Readonly<Record<string, unknown>>

/** A push notification. Without a title and a text it is silent: a phone delivers it, and shows nothing. */
export interface Push {
  readonly title: string | undefined
  readonly body: string | undefined
  /** The payload's own fields, for the app. */
  readonly data: Fields
}

/** The most characters of a payload, as with Apple. */
export const longestPush = 4096

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fieldsIn = (value: unknown): Fields => (isObject(value) ? value : {})
const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const without = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/**
 * Reads the JSON of a push notification: a payload for Apple (`aps`), a message for Firebase (`notification`), or one for Expo
 * (`title`, `body`). Returns a sentence with the reason if it can't be read.
 */
export const readPush = (json: string): Push | string => {
  if (json.length > longestPush) return `The payload has more than ${longestPush} characters.`
  let payload: unknown
  try {
    payload = JSON.parse(json)
  } catch (error) {
    return `The payload is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (!isObject(payload)) return "The payload is not a JSON object."
  const known = ["aps", "notification"].filter((name) => payload[name] !== undefined)
  const wrong = [...known, "data"].find((name) => payload[name] !== undefined && !isObject(payload[name]))
  if (wrong !== undefined) return `“${wrong}” is not a JSON object.`
  const alert = fieldsIn(payload["aps"])["alert"]
  const shown =
    typeof alert === "string"
      ? { body: alert }
      : { ...payload, ...fieldsIn(payload["notification"]), ...fieldsIn(alert) }
  const [title, body] = [textIn(fieldsIn(shown)["title"]), textIn(fieldsIn(shown)["body"])]
  const data = payload["data"]
  return {
    title,
    body,
    data: isObject(data) ? data : without(payload, ["aps", "notification", "title", "body"])
  }
}
