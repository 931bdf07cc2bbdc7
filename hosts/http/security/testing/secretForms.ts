/** Finds secrets in the output of a host, also in encoded forms. */

/** The end of base64 that doesn't depend on what follows, for a text that begins at this place of a group of three bytes. */
const base64At = (bytes: Buffer, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString("base64")
    .replace(/=+$/, "")
  const [first, length] = [Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6)]
  return text.slice(first, length)
}

/** A text as it may stand somewhere: as it is, percent-encoded as a whole, in base64 at each place, in hexadecimal. */
export const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset))
  return [
    ...new Set([
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      bytes.toString("latin1").replaceAll(/./gs, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`),
      JSON.stringify(secret).slice(1, -1),
      ...base64,
      ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
      bytes.toString("hex")
    ])
  ]
}

/** The names of the secrets that stand in a text or in bytes, in any form. */
export const secretsIn = (
  content: string | Uint8Array,
  secrets: ReadonlyMap<string, string>
): ReadonlyArray<string> => {
  const bytes = Buffer.from(content)
  return [...secrets].flatMap(([name, secret]) => (formsOf(secret).some((form) => bytes.includes(form)) ? [name] : []))
}
