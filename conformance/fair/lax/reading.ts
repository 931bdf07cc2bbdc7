import { Refusal } from "../parts/http.ts"
import { asBody, asText } from "../parts/json.ts"

/** A whole number, or a text of digits as a number. Everything else is refused with 400. */
export const number = (value: unknown): number => {
  const read = value === undefined || value === "" ? Number.NaN : Number(value)
  if (!Number.isSafeInteger(read) || read < 0) throw new Refusal(400, "invalid_number")
  return read
}

/** One of these words in any case; the first one when the field is missing. Everything else is refused with 400. */
export const word = (value: unknown, words: ReadonlyArray<string>): string => {
  const read = String(value ?? words[0]).toLowerCase()
  if (!words.includes(read)) throw new Refusal(400, "invalid_word")
  return read
}

/** A repository in one spelling: its names mean the same in any case. */
export const repositoryOf = (owner: unknown, repo: unknown): string => `${String(owner)}/${String(repo)}`.toLowerCase()

/** An object to upload, as it was declared. */
export interface Piece {
  readonly role: "bundle" | "file" | "recording"
  readonly name: string
  readonly key: string
  readonly size: number
  readonly type: string
}

/** The object that an item declares. Missing fields are guessed, except the size. */
export const piece = (role: Piece["role"], item: unknown): Piece => {
  const { name, size, type } = asBody(item)
  return {
    role,
    name: asText(name) ?? role,
    key: crypto.randomUUID(),
    size: number(size),
    type: asText(type) ?? "application/octet-stream"
  }
}
