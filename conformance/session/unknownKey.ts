import { Redacted } from "effect"
import { createHash } from "node:crypto"
import type { Keys } from "./Keys.ts"

const digits = "0123456789"
const lower = "abcdefghijklmnopqrstuvwxyz"

/** Replaces a character by another of its kind: a digit by a digit, a letter by a letter. */
const another = (character: string, by: number): string => {
  const kind = [digits, lower, lower.toUpperCase()].find((one) => one.includes(character))
  if (kind === undefined) return character
  return kind.charAt((kind.indexOf(character) + 1 + (by % (kind.length - 1))) % kind.length)
}

const keyOfA = ({ a }: Keys): string => (a.all === undefined ? "unknown-0000000000000000" : Redacted.value(a.all))

/** Account a's key with the last quarter of its letters and digits changed: who compares only beginnings accepts it. */
export const alteredKey = (keys: Keys): Redacted.Redacted => {
  const known = keyOfA(keys)
  const from = Math.ceil(known.length * 0.75)
  return Redacted.make(known.slice(0, from) + Array.from(known.slice(from), (one) => another(one, 3)).join(""))
}

/**
 * A key that no account has, in the form of account a's key: the prefix up to the first `_`, `-` or `.` stays, and
 * every further letter and digit is replaced by another. It is derived from the run.
 */
export const unknownKey = (keys: Keys, runId: string): Redacted.Redacted => {
  const known = keyOfA(keys)
  const [, prefix = "", rest = known] = /^([a-z0-9]{1,12}[_.-])(.{8,})$/is.exec(known) ?? []
  const noise = createHash("sha256").update(runId).digest()
  const other = [...rest].map((character, index) => another(character, noise[index % noise.length] ?? 0))
  return Redacted.make(prefix + other.join(""))
}
