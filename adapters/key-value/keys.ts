import { DateTime } from "effect"
import { hash } from "node:crypto"
import type { RepositoryKey } from "../../core/model/Repository.ts"

/** A key of several parts. Keys with the same first parts lie beside each other. */
export const keyOf = (...parts: ReadonlyArray<string>): string => parts.map(encodeURIComponent).join("/")

/** The parts of a key. */
export const partsOf = (key: string): ReadonlyArray<string> => key.split("/").map(decodeURIComponent)

/** The bounds of all keys that begin with these parts and have more. */
export const below = (...parts: ReadonlyArray<string>): { readonly from: string; readonly to: string } => {
  const start = keyOf(...parts)
  // "0" is the character after "/".
  return { from: `${start}/`, to: `${start}0` }
}

/** What stands in a key for a text that people chose, so that no key is longer than an engine takes. */
export const digest = (text: string): string => hash("sha256", text)

export const repositoryDigest = ({ owner, repo }: RepositoryKey): string => digest(`${owner}/${repo}`)

// The earliest time that a Date can hold, so that no number is negative.
const earliest = -8_640_000_000_000_000

/** Times in keys: their order as texts is that of time. Parts of a millisecond are left out, as they are in values. */
export const timeKey = (time: DateTime.Utc): string =>
  String(Math.trunc(DateTime.toEpochMillis(time)) - earliest).padStart(17, "0")
