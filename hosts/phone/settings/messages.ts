/** What the page around the phone sends it: orders, push notifications, and a mouse that left the frame. */
import { decodeSettings, type Settings } from "./settings.ts"

/** What a page around the phone tells it to do while its app runs. */
export type Order =
  | { readonly kind: "settings"; readonly settings: Settings }
  /** Opens a deep link in the app. */
  | { readonly kind: "link"; readonly url: string }
  /** Delivers a push notification. */
  | { readonly kind: "push"; readonly json: string }

/** The event by which an order is dispatched on the phone's document. */
export const orderEvent = "phone-order"

/** An order from the other side of a frame, where anything may have been sent; `undefined` if it isn't one. */
export const decodeOrder = (value: unknown): Order | undefined => {
  if (typeof value !== "object" || value === null || !("kind" in value)) return undefined
  if (value.kind === "settings" && "settings" in value) {
    return { kind: "settings", settings: decodeSettings(value.settings) }
  }
  if (value.kind === "push" && "json" in value && typeof value.json === "string") {
    return typeof readPush(value.json) === "string" ? undefined : { kind: "push", json: value.json }
  }
  if (value.kind !== "link" || !("url" in value) || typeof value.url !== "string") return undefined
  return value.url.length <= longestUrl && URL.canParse(value.url) ? { kind: "link", url: value.url } : undefined
}

const longestUrl = 2000

/** A push notification. Without a title and a text it is silent: a phone delivers it, and shows nothing. */
export interface Push {
  readonly title: string | undefined
  readonly body: string | undefined
  /** The payload's own fields, for the app. */
  readonly data: Fields
}

/** The most characters of a payload, as with Apple. */
export const longestPush = 4096

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

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const fieldsIn = (value: unknown): Fields => (isObject(value) ? value : {})

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const without = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/**
 * A mouse that was pressed in an app's frame and is beyond it now. Only the page around the frame receives its events.
 */
interface OutsideMouse {
  readonly type: "pointermove" | "pointerup"
  /** Where it is, from the frame's corner, in the frame's own pixels. */
  readonly x: number
  readonly y: number
}

/** Forwards it to the frame, so that a drag continues and ends there. A press on the page itself isn't forwarded. */
export const reportOutsideMouse = (frame: () => HTMLIFrameElement | undefined): void => {
  let isOfPage = false
  const tell = (type: OutsideMouse["type"], { buttons, clientX, clientY, pointerType }: PointerEvent): void => {
    const shown = frame()
    if (shown === undefined || isOfPage || pointerType !== "mouse" || (type === "pointermove" && buttons !== 1)) return
    const box = shown.getBoundingClientRect()
    const scale = box.width / shown.offsetWidth
    const mouse: OutsideMouse = { type, x: (clientX - box.x) / scale, y: (clientY - box.y) / scale }
    shown.contentWindow?.postMessage({ [mark]: mouse }, "*")
  }
  const options = { capture: true, passive: true }
  document.addEventListener("pointerdown", () => void (isOfPage = true), options)
  document.addEventListener("pointermove", (pointer) => tell("pointermove", pointer), options)
  document.addEventListener(
    "pointerup",
    (pointer) => {
      tell("pointerup", pointer)
      isOfPage = false
    },
    options
  )
}

/** What a message of the page says of it; `undefined` if it is another message. */
export const outsideMouseIn = (data: unknown): OutsideMouse | undefined => {
  if (typeof data !== "object" || data === null || !(mark in data)) return undefined
  const { type, x, y } = { type: "", x: 0, y: 0, ...(typeof data[mark] === "object" ? data[mark] : {}) }
  return type === "pointermove" || type === "pointerup" ? { type, x: Number(x), y: Number(y) } : undefined
}

const mark = "phone-mouse"
