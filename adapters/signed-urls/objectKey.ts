const form = /^[A-Za-z0-9!\-_.*'()]+(?:\/[A-Za-z0-9!\-_.*'()]+)*$/

/** Whether a key has the form that the port of object stores gives to keys. */
export const isObjectKey = (key: string): boolean =>
  key.length <= 512 && form.test(key) && key.split("/").every((segment) => segment !== "." && segment !== "..")
