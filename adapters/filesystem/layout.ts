/**
 * The file of each object. Below the folder of objects, the segments of a key are folders and the last one is the file:
 *
 *     hosted/0198/bundle  →  hosted/0198/bundle,object
 *
 * No key has a comma, so `a,object` can lie beside `a/b,object`, and other programs' files don't look like objects. A
 * segment that is longer than a file name may be continues in a folder: `aaaa…,` / `aaaa…,object`.
 */
import { join } from "node:path"
import { isObjectKey, type ObjectKey } from "../../core/model/ObjectKey.ts"

const objectEnd = ",object"
const continued = ","
const nameLength = 200

const names = (segment: string): ReadonlyArray<string> =>
  segment.length <= nameLength
    ? [segment]
    : [segment.slice(0, nameLength) + continued, ...names(segment.slice(nameLength))]

/** The folder below `root` that holds all objects whose keys begin with `key` and a slash. */
export const folderOf = (root: string, key: ObjectKey): string => join(root, ...key.split("/").flatMap(names))

/** The path of an object's file below `root`. */
export const fileOf = (root: string, key: ObjectKey): string => folderOf(root, key) + objectEnd

/** The prefix of the keys in a folder of this name, whose parent has the keys that begin with `prefix`. */
export const prefixIn = (prefix: string, folder: string): string =>
  folder.endsWith(continued) ? prefix + folder.slice(0, -continued.length) : `${prefix}${folder}/`

/**
 * The key of a file of this name in the folder with the keys that begin with `prefix`, or `undefined` when it is no
 * object.
 */
export const keyIn = (prefix: string, file: string): ObjectKey | undefined => {
  if (!file.endsWith(objectEnd)) return undefined
  const key = prefix + file.slice(0, -objectEnd.length)
  return isObjectKey(key) ? key : undefined
}
