import type { Exchange, Json } from "./Exchange.ts"

const marks = /‹redacted \d+›/g

/** A mark as `encodeURIComponent` and a form encode it. */
const encodedMarks = /%E2%80%B9redacted(?:%20|\+)(\d+)%E2%80%BA/g

/**
 * A recorded text matches the present one when they are equal outside of redacted parts. They are compared part by part
 * and not by a regular expression, which a crafted report could make extremely slow.
 */
const sameText = (recorded: string, now: string): boolean => {
  const said = now.replaceAll(encodedMarks, "‹redacted $1›")
  const [first = "", ...rest] = recorded.replaceAll(encodedMarks, "‹redacted $1›").split(marks)
  const last = rest.pop()
  if (last === undefined) return said === first
  let place = said.startsWith(first) ? first.length : -1
  for (const part of rest) {
    const found = place < 0 ? -1 : said.indexOf(part, place)
    place = found < 0 ? -1 : found + part.length
  }
  return place >= 0 && place + last.length <= said.length && said.endsWith(last)
}

const same = (recorded: Json | undefined, now: Json | undefined): boolean => {
  if (typeof recorded === "string" && typeof now === "string") return sameText(recorded, now)
  // A redacted number is recorded as a mark.
  if (typeof recorded === "string" && typeof now === "number") return sameText(recorded, String(now))
  if (typeof recorded !== "object" || typeof now !== "object" || recorded === null || now === null)
    return recorded === now
  const [names, others] = [Object.keys(recorded), Object.keys(now)]
  return (
    Array.isArray(recorded) === Array.isArray(now) &&
    names.length === others.length &&
    names.every((name) => Object.hasOwn(now, name) && same(Reflect.get(recorded, name), Reflect.get(now, name)))
  )
}

/** Whether a request is the one that was recorded, apart from redaction. */
export const sameRequest = (recorded: Exchange["request"], now: Exchange["request"]): boolean =>
  same({ ...recorded }, { ...now })
