import { hash } from "node:crypto"

/**
 * The SHA-256 of a text, by which it is looked up and kept unique. An index entry must stay below a third of a page
 * (2,704 bytes in PostgreSQL) and a name may take more than that; its digest never does.
 */
export const digest = (text: string): Uint8Array => hash("sha256", text, "buffer")
