import { Effect, Stream } from "effect"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { ScannedObject, StoredObject } from "../../core/ports/ObjectStore.ts"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { attempt, isMissing, type FileError } from "./attempt.ts"
import { keyIn, prefixIn } from "./layout.ts"
import { openObjectFile } from "./objectFile.ts"

/** What lies in a folder; nothing, when it isn't there. */
const entriesOf = (folder: string) =>
  Effect.catchIf(
    attempt(() => readdir(folder, { withFileTypes: true })),
    isMissing,
    () => Effect.succeed([])
  )

/** The file of each object below `folder`, whose keys begin with `prefix`. */
const filesBelow = Effect.fnUntraced(function* (folder: string, prefix: string) {
  const files = new Map<ObjectKey, string>()
  const folders = [{ folder, prefix }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { folder, prefix } = next
    const entries = yield* entriesOf(folder)
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

interface Found {
  readonly key: ObjectKey
  readonly path: string
  /** The path below the folder where the walk began. */
  readonly cursor: string
}

/** The same files folder by folder in the order of their names, behind a place whose names are given. */
const filesBehind = (
  folder: string,
  { below, prefix }: { readonly prefix: string; readonly below: string },
  [first, ...others]: ReadonlyArray<string>
): Stream.Stream<Found, FileError> =>
  Stream.unwrap(
    Effect.map(entriesOf(folder), (entries) =>
      Stream.fromIterable(
        entries
          .filter(({ name }) => first === undefined || name > first || (name === first && others.length > 0))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      )
    )
  ).pipe(
    Stream.flatMap((entry): Stream.Stream<Found, FileError> => {
      const [path, cursor] = [join(folder, entry.name), below + entry.name]
      if (entry.isDirectory()) {
        const inside = { prefix: prefixIn(prefix, entry.name), below: `${cursor}/` }
        return filesBehind(path, inside, entry.name === first ? others : [])
      }
      const key = entry.isFile() ? keyIn(prefix, entry.name) : undefined
      return key === undefined ? Stream.empty : Stream.succeed({ key, path, cursor })
    })
  )

/** The objects below `folder`, whose keys begin with `prefix`, one after another behind a place. */
export const scanBelow = (
  folder: string,
  prefix: string,
  after: string | undefined
): Stream.Stream<ScannedObject, FileError> =>
  filesBehind(folder, { prefix, below: "" }, after?.split("/") ?? []).pipe(
    Stream.mapEffect(
      ({ key, path, cursor }) => Effect.map(describe(key, path), (found) => found.map((one) => ({ ...one, cursor }))),
      { concurrency: 16 }
    ),
    Stream.flatMap((found) => Stream.fromIterable(found))
  )
