const form = /^[A-Za-z0-9!\-_.*'()]+(?:\/[A-Za-z0-9!\-_.*'()]+)*$/

/** Whether a text has the form of an object key, as `ObjectStore` defines it. */
export const isObjectKey = (key: string): boolean =>
  key.length <= 512 && form.test(key) && key.split("/").every((segment) => segment !== "." && segment !== "..")

/** The error for a text that was passed as an object key and is none. */
export const illegalKey = (key: string): RangeError =>
  new RangeError(`no object can have the key ${JSON.stringify(key)}`)

/** The error for a text that was passed as a prefix to list and is none. */
export const illegalPrefix = (prefix: string): RangeError =>
  new RangeError(`a prefix ends in a slash, not so ${JSON.stringify(prefix)}`)
