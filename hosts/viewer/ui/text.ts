import { DateTime } from "effect"
import { html, type Html } from "./html.ts"
import { bytesText as sizeText } from "../../../core/rules/amounts.ts"

export { bytesText as sizeText, durationText } from "../../../core/rules/amounts.ts"
export { shortText } from "./words.ts"

/** A size with its exact number of bytes. */
export const exactSizeText = (bytes: number): string =>
  bytes < 1024 ? sizeText(bytes) : `${sizeText(bytes)} (${bytes.toLocaleString("en-GB")} bytes)`

/** A time as an element, to the minute in UTC. */
export const timeHtml = (time: DateTime.Utc): Html => {
  const iso = DateTime.formatIso(time)
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
