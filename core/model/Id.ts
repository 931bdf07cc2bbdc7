import { Schema } from "effect"

/** The form of an id: 1 to 128 visible ASCII characters. No resource has any other id. */
export const idPattern = /^[\x21-\x7e]{1,128}$/

/** Checks an id in a request. `message` is the error for a text that can't be an id. */
export const isId = (message: string) => Schema.isPattern(idPattern, { message })
