import { join, resolve } from "node:path"

/** Where the engines keep what they store in a data folder. */
export const pathsIn = (data: string) => {
  const root = resolve(data)
  return { root, metadata: join(root, "metadata.sqlite"), objects: join(root, "objects") }
}
