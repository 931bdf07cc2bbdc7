import { hash } from "node:crypto"

/**
 * The SHA-256 of a text, by which the text is looked up and kept unique. An index entry must be smaller than a third of
 * a page (2,704 bytes in PostgreSQL), and a name may be longer than that.
 */
export const digest = (text: string): Uint8Array => hash("sha256", text, "buffer")

/** The digest of a branch and, where it is given, an app. No name holds the character between them. */
export const lineDigest = ({
  app,
  branch
}: {
  readonly app?: string | undefined
  readonly branch: string
}): Uint8Array => digest(app === undefined ? branch : `${branch}\0${app}`)

/** The digest of a text that may be absent, as a parameter of a statement. */
export const digestOrNull = (text: string | undefined): Uint8Array | null => (text === undefined ? null : digest(text))
