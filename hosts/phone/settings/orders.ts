import { readPush } from "./push.ts"
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

const longestUrl = 2000

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
