const form = /^[A-Za-z0-9!\-_.*'()]+(?:\/[A-Za-z0-9!\-_.*'()]+)*$/

/** Whether a key has the form that the port of object stores gives to keys. */
export const isObjectKey = (key: string): boolean =>
  key.length <= 512 && form.test(key) && key.split("/").every((segment) => segment !== "." && segment !== "..")

/** What is wrong where a key had to be given and this is none. */
export const illegalKey = (key: string): RangeError =>
  new RangeError(`no object can have the key ${JSON.stringify(key)}`)

/** What is wrong where a prefix to list had to be given and this is none. */
export const illegalPrefix = (prefix: string): RangeError =>
  new RangeError(`a prefix ends in a slash, not so ${JSON.stringify(prefix)}`)
