import type { Bindings } from "../config/Config.ts"
import type { Tamper } from "./Exchange.ts"

/**
 * How a presigned URL of an unknown kind is changed. Each change makes a URL that the target never issued:
 *
 * - `signature`: one character of the parameter that is named like a signature; without one, of the longest value of
 *   the query; without a query, of the path's last segment.
 * - `key`: one character of the path's last segment, before its file extension, so that it names another object.
 * - `type`, `length`, `expiry`: the value of the parameter for the content type, the length or the expiry.
 *
 * Where the config has `/2` for one of them, it is the second segment of the path, and with `/-1` the last.
 */
export const names: Readonly<Record<Exclude<Tamper, "key">, RegExp>> = {
  signature: /(?:^|-)(?:signature|sig|hmac|mac)$/i,
  type: /^(?:(?:x-amz-|x-goog-)?content-?type|type|rsct|mime)$/i,
  length: /^(?:content-?length|length|size|size-?bytes)$/i,
  expiry: /^(?:(?:x-(?:[a-z]+-)?)?(?:expires|expiry|expires-?at|until)|exp|se)$/i
}

/** Splits a URL and joins it again without encoding any part again. */
export const parts = (url: string) => {
  const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(url) ?? []
  const parameters = query === "" ? [] : query.split("&").map((one) => /^([^=]*)=?(.*)$/s.exec(one) ?? [])
  return { path, parameters: parameters.map(([, name = "", value = ""]) => ({ name, value })) }
}

/** The place of a segment in the parts of a path, where the config names one: `/2`, `/-1`. */
const segmentOf = (path: string, said: string | undefined): number | undefined => {
  const [, number] = /^\/(-?[1-9]\d*)$/.exec(said ?? "") ?? []
  // A path of an absolute URL begins with its scheme and its host.
  const segments = path.split("/")
  const place = number === undefined ? 0 : Number(number) > 0 ? 2 + Number(number) : segments.length + Number(number)
  return place > 2 && place < segments.length ? place : undefined
}

/** The parameter of this name, if the config has it, and otherwise the first that is named like one. */
export const find = (url: string, tamper: Exclude<Tamper, "key">, configured: ParameterNames) =>
  parts(url).parameters.findIndex(({ name }) => {
    const said = decodeURIComponent(name)
    return configured[tamper] === undefined ? names[tamper].test(said) : said === configured[tamper]
  })

/** Whether a URL has the part that this changes, whatever the values of its query are. */
export const canTamper = (url: string, tamper: Tamper, configured: ParameterNames = {}): boolean =>
  tamper === "signature" ||
  tamper === "key" ||
  segmentOf(parts(url).path, configured[tamper]) !== undefined ||
  find(url, tamper, configured) >= 0

export const next = (character: string, digits: RegExp): string => {
  if (digits.test("f")) return ((Number.parseInt(character, 16) + 1) % 16).toString(16)
  if (/[0-9]/.test(character)) return String((Number(character) + 1) % 10)
  if (/[a-y]/.test(character) || /[A-Y]/.test(character)) return String.fromCharCode(character.charCodeAt(0) + 1)
  return character === "z" ? "a" : character === "Z" ? "A" : character
}

/**
 * Replaces a character in the middle by another letter or digit of the same kind, so that the text stays well-formed.
 */
export const another = (text: string): string => {
  const places = [...text].flatMap((character, index) => (/[0-9A-Za-z]/.test(character) ? [index] : []))
  // The last character isn't used, because in some encodings a part of its bits has no meaning.
  const place = places[Math.floor(Math.max(0, places.length - 1) / 2)]
  const digits = /^[0-9a-f]+$/.test(text) ? /[0-9a-f]/ : /[0-9]/
  return place === undefined
    ? `${text}0`
    : text.slice(0, place) + next(text.charAt(place), digits) + text.slice(place + 1)
}

/** When a dot separates the signed text from its signature, the last part is the signature. */
const anotherLastPart = (text: string, separator: string): string => {
  const start = text.lastIndexOf(separator) + 1
  return text.slice(0, start) + another(text.slice(start))
}

const anotherNumber = (value: string): string => (/^\d+$/.test(value) ? String(BigInt(value) + 3600n) : another(value))

export const changed = (tamper: Tamper, value: string): string => {
  if (tamper === "key") {
    const [, stem = value, ending = ""] = /^(.+?)(\.[a-z0-9]{1,5})?$/i.exec(value) ?? []
    return another(stem) + ending
  }
  if (tamper === "signature") return anotherLastPart(value, ".")
  if (tamper === "type") return value === "text%2Fhtml" ? "text%2Fplain" : "text%2Fhtml"
  return anotherNumber(value)
}

/** The changed URL. A URL without the part to change stays the same: see {@link canTamper}. */
export const tampered = (url: string, tamper: Tamper, configured: ParameterNames = {}): string => {
  const { parameters, path } = parts(url)
  const written = (one: string, all: typeof parameters) =>
    all.length === 0 ? one : `${one}?${all.map(({ name, value }) => `${name}=${value}`).join("&")}`
  const segments = path.split("/")
  const isWhole = tamper === "key" || (tamper === "signature" && parameters.length === 0)
  const segment = segmentOf(path, configured[tamper]) ?? (isWhole ? segments.length - 1 : undefined)
  if (segment !== undefined) {
    return written(segments.with(segment, changed(tamper, segments[segment] ?? "")).join("/"), parameters)
  }
  if (tamper === "key") return url
  const longest = parameters.reduce(
    (best, { value }, index) => (value.length > (parameters[best]?.value.length ?? -1) ? index : best),
    0
  )
  const found = find(url, tamper, configured)
  const index = found >= 0 || tamper !== "signature" ? found : longest
  return written(
    path,
    parameters.map(({ name, value }, at) => ({ name, value: at === index ? changed(tamper, value) : value }))
  )
}

export type ParameterNames = Bindings["uploadUrl"]
