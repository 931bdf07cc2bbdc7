import { Effect } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { StoredObject } from "../../core/ports/ObjectStore.ts"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { attempt, isMissing, type FileError } from "./attempt.ts"
import { keyIn, prefixIn } from "./layout.ts"
import { openObjectFile } from "./objectFile.ts"

/** The file of each object below `folder`, whose keys begin with `prefix`. */
const filesBelow = Effect.fnUntraced(function* (folder: string, prefix: string) {
  const files = new Map<ObjectKey, string>()
  const folders = [{ folder, prefix }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, prefix } = next
    const entries = yield* Effect.catchIf(
      attempt(() => readdir(folder, { withFileTypes: true })),
      isMissing,
      () => Effect.succeed([])
    )
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push({ folder: path, prefix: prefixIn(prefix, entry.name) })
      const key = entry.isFile() ? keyIn(prefix, entry.name) : undefined
      if (key !== undefined) files.set(key, path)
    }
  }
  return files
})

export const objectFiles = (objects: string) => filesBelow(objects, "")

const describe = Effect.fnUntraced(function* (key: string, path: string) {
  const file = yield* Effect.catchIf(openObjectFile(path), isMissing, () => Effect.undefined)
  if (file === undefined) return []
  const { fd: _fd, start: _start, ...facts } = file
  const object: StoredObject = { key, ...facts }
  return [object]
}, Effect.scoped)

/** The objects below `folder`, whose keys begin with `prefix`. */
export const listBelow = Effect.fnUntraced(function* (
  folder: string,
  prefix: string
): Effect.fn.Return<ReadonlyArray<StoredObject>, FileError> {
  const files = yield* filesBelow(folder, prefix)
  const described = yield* Effect.forEach(files, ([key, path]) => describe(key, path), { concurrency: 16 })
  return described.flat()
})
