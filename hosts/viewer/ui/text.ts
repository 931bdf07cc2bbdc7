import { DateTime } from "effect"
import { html, type Html } from "./html.ts"

export { durationText } from "./durationText.ts"
export { shortText } from "./shortText.ts"

const units = ["kB", "MB", "GB", "TB", "PB"]

/** A size for people: `257 bytes`, `1.3 MB`. */
export const sizeText = (bytes: number): string => {
  const count = (value: number, fractionDigits: number) =>
    value.toLocaleString("en-GB", { maximumFractionDigits: fractionDigits })
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${bytes} bytes`
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length)
  return `${count(bytes / 1000 ** power, 1)} ${units[power - 1]}`
}

/** A size with its exact number of bytes. */
export const exactSizeText = (bytes: number): string =>
  bytes < 1000 ? sizeText(bytes) : `${sizeText(bytes)} (${bytes.toLocaleString("en-GB")} bytes)`

/** A time as an element, to the minute in UTC. */
export const timeHtml = (time: DateTime.Utc): Html => {
  const iso = DateTime.formatIso(time)
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
}
