import { Schema } from "effect"

/** What an id can look like: 1 to 128 visible ASCII characters. Other text names nothing. */
export const idPattern = /^[\x21-\x7e]{1,128}$/

/** The check of an id that a request names; `message` is said of one that can't be. */
export const isId = (message: string) => Schema.isPattern(idPattern, { message })
