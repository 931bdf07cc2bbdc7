import type { Tamper } from "./Exchange.ts"

/**
 * How a presigned URL is changed where it is of an unknown make. Each leaves a URL that the target never gave:
 *
 * - `signature`: one character of the parameter that is named like a signature; where none is, of the longest value of
 *   the query; where there is no query, of the path's last segment.
 * - `key`: one character of the path's last segment, in front of what ends it like a file name: another object.
 * - `type`, `length`, `expiry`: the parameter that says the content type, the length or the end becomes another one.
 */
const names: Readonly<Record<Exclude<Tamper, "key">, RegExp>> = {
  signature: /(?:^|-)(?:signature|sig|hmac|mac)$/i,
  type: /^(?:(?:x-amz-|x-goog-)?content-?type|type|rsct|mime)$/i,
  length: /^(?:content-?length|length|size|size-?bytes)$/i,
  expiry: /^(?:(?:x-(?:[a-z]+-)?)?(?:expires|expiry|expires-?at|until)|exp|se)$/i
}

/** A URL as it is written, taken apart and put together again without writing anything of it anew. */
const parts = (url: string) => {
  const [, path = "", query = ""] = /^([^?#]*)\??([^#]*)/.exec(url) ?? []
  const parameters = query === "" ? [] : query.split("&").map((one) => /^([^=]*)=?(.*)$/s.exec(one) ?? [])
  return { path, parameters: parameters.map(([, name = "", value = ""]) => ({ name, value })) }
}

const find = (url: string, tamper: Exclude<Tamper, "key">) =>
  parts(url).parameters.findIndex(({ name }) => names[tamper].test(decodeURIComponent(name)))

/** Whether a URL has what this changes. The values of its query don't matter to that. */
export const canTamper = (url: string, tamper: Tamper): boolean =>
  tamper === "signature" || tamper === "key" || find(url, tamper) >= 0

const next = (character: string, digits: RegExp): string => {
  if (digits.test("f")) return ((Number.parseInt(character, 16) + 1) % 16).toString(16)
  if (/[0-9]/.test(character)) return String((Number(character) + 1) % 10)
  if (/[a-y]/.test(character) || /[A-Y]/.test(character)) return String.fromCharCode(character.charCodeAt(0) + 1)
  return character === "z" ? "a" : character === "Z" ? "A" : character
}

/** Another letter or digit in the middle, of the same kind, so that it is as well-formed as it was. */
const another = (text: string): string => {
  const places = [...text].flatMap((character, index) => (/[0-9A-Za-z]/.test(character) ? [index] : []))
  // Not the last one: of some encodings it has bits that mean nothing.
  const place = places[Math.floor(Math.max(0, places.length - 1) / 2)]
  const digits = /^[0-9a-f]+$/.test(text) ? /[0-9a-f]/ : /[0-9]/
  return place === undefined
    ? `${text}0`
    : text.slice(0, place) + next(text.charAt(place), digits) + text.slice(place + 1)
}

/** What of a text is signed and what signs it is told apart by a dot: the last part signs. */
const anotherLastPart = (text: string, separator: string): string => {
  const start = text.lastIndexOf(separator) + 1
  return text.slice(0, start) + another(text.slice(start))
}

const anotherNumber = (value: string): string => (/^\d+$/.test(value) ? String(BigInt(value) + 3600n) : another(value))

const changed = (tamper: Exclude<Tamper, "key">, value: string): string => {
  if (tamper === "signature") return anotherLastPart(value, ".")
  if (tamper === "type") return value === "text%2Fhtml" ? "text%2Fplain" : "text%2Fhtml"
  return anotherNumber(value)
}

/** The URL, changed. One that has nothing of the kind stays as it is: see {@link canTamper}. */
export const tampered = (url: string, tamper: Tamper): string => {
  const { parameters, path } = parts(url)
  const written = (one: string, all: typeof parameters) =>
    all.length === 0 ? one : `${one}?${all.map(({ name, value }) => `${name}=${value}`).join("&")}`
  const start = path.lastIndexOf("/") + 1
  const segment = path.slice(start)
  if (tamper === "key") {
    const [, stem = segment, ending = ""] = /^(.+?)(\.[a-z0-9]{1,5})?$/i.exec(segment) ?? []
    return written(path.slice(0, start) + another(stem) + ending, parameters)
  }
  const longest = parameters.reduce(
    (best, { value }, index) => (value.length > (parameters[best]?.value.length ?? -1) ? index : best),
    0
  )
  const found = find(url, tamper)
  const index = found >= 0 || tamper !== "signature" ? found : longest
  if (parameters.length === 0 && tamper === "signature") return path.slice(0, start) + anotherLastPart(segment, ".")
  return written(
    path,
    parameters.map(({ name, value }, at) => ({ name, value: at === index ? changed(tamper, value) : value }))
  )
}
