/**
 * The file of each object. Below the folder of objects, the segments of a key are folders and the last one is the file:
 *
 *     hosted/0198/bundle  →  hosted/0198/bundle,object
 *
 * The bytes of a large object that a proxy sends are alone in `hosted/0198/bundle,6f1c…,data`, which the object's file names by its id.
 * The object exists as long as its own file does: that is put after the bytes and removed before them.
 *
 * No key has a comma, so `a,object` can lie beside `a/b,object`, and other programs' files don't look like objects. A
 * segment that is longer than a file name may be continues in a folder: `aaaa…,` / `aaaa…,object`.
 */
import { basename, dirname, join } from "node:path"
import { isObjectKey, type ObjectKey } from "../../core/model/HostedObject.ts"
import { Clock, Effect, Exit, Option, Stream, type Scope } from "effect"
import { closeSync, constants, openSync, statSync } from "node:fs"
import { access, chmod, copyFile, link, mkdir, open, readdir, rename, rmdir, stat, unlink } from "node:fs/promises"
import {
  attempt,
  codeOf,
  dataFileOf,
  dataIdOf,
  forceToDisk,
  isMissing,
  isMissingCode,
  longestHeader,
  objectEnd,
  openObjectFile,
  unreadable,
  type FileError
} from "./files.ts"
import { randomUUID } from "node:crypto"
import type { ScannedObject, StoredObject } from "../../core/ports/ObjectStore.ts"

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

/** The file of the object whose bytes are in a file of this name, both without their folder; `undefined` for other files. */
const ownerOf = (file: string): string | undefined => {
  const [, name] = /^(.+),[0-9a-f-]{36},data$/.exec(file) ?? []
  return name === undefined ? undefined : name + objectEnd
}

/**
 * The folders of a store: `objects` holds complete objects, `temporary` those that are being received. If `isForProxy` is true, the
 * group of the files may read the bytes of large objects.
 */
export interface Folders {
  readonly objects: string
  readonly temporary: string
  readonly isForProxy: boolean
}

/** For others of the group: to pass through a folder, but not to list it. */
const passable = 0o710

/** Lets the proxy pass through the folders above all objects. */
export const openToProxy = (folders: ReadonlyArray<string>): Effect.Effect<void, FileError> =>
  Effect.forEach(folders, (folder) => attempt(() => chmod(folder, passable)), { discard: true })

/** Checks that a folder exists. A file of its name is refused as `ENOTDIR`. */
export const assertFolder = (folder: string): Effect.Effect<void, FileError> =>
  Effect.asVoid(attempt(() => stat(`${folder}/`)))

/** Checks that both folders exist and that this process may write to them. */
export const assertFolders = ({ objects, temporary }: Folders): Effect.Effect<void, FileError> =>
  Effect.forEach(
    [objects, temporary],
    (folder) =>
      Effect.andThen(
        assertFolder(folder),
        attempt(() => access(folder, constants.R_OK | constants.W_OK | constants.X_OK))
      ),
    { discard: true }
  )

// Files that are being received.

const dayInMillis = 24 * 60 * 60 * 1000

/** Removes a temporary file. A missing one is no error, and any other failure is only logged. */
export const removeTemporary = (path: string): Effect.Effect<void> =>
  Effect.catchTag(
    attempt(() => unlink(path)),
    "FileError",
    (error) =>
      isMissing(error) ? Effect.void : Effect.logWarning("A temporary file could not be removed", error.cause)
  )

/** A new file name in `folder`. Unless the scope ends in success, a file of that name is removed then. */
export const temporaryFile = (folder: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => join(folder, randomUUID())),
    (path, exit) => (Exit.isSuccess(exit) ? Effect.void : removeTemporary(path))
  )

/** Removes the files in `folder` that a killed process left: every file that hasn't changed for a day. */
export const removeStaleTemporaries = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<void, FileError> {
  const now = yield* Clock.currentTimeMillis
  const names = yield* attempt(() => readdir(folder))
  yield* Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const path = join(folder, name)
      const found = yield* Effect.option(attempt(() => stat(path)))
      // This uses the change time, because a link to an object has the modification time of the object.
      if (Option.isSome(found) && now - found.value.ctimeMs > dayInMillis) yield* removeTemporary(path)
    }),
    { concurrency: 16, discard: true }
  )
})

/**
 * Opens and closes at once: a file was put into this folder just now, so the system has it in memory, and each call by the
 * detour over another thread costs more than these two.
 */
const sync = async (folder: string): Promise<void> => {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await forceToDisk(fd)
  } finally {
    closeSync(fd)
  }
}

/** The sync of a folder that is under way, and the one after it. */
interface Syncs {
  readonly now: Promise<void>
  next?: Promise<void>
}

const underWay = new Map<string, Syncs>()

/**
 * Syncs a folder. Calls during a running sync share the next sync, which begins after their files were written. All uploads
 * write to the same few folders, and each sync is expensive for the disk.
 */
const syncShared = (folder: string): Promise<void> => {
  const begin = () => {
    const syncs: Syncs = {
      now: sync(folder).finally(() => {
        if (syncs.next === undefined) underWay.delete(folder)
      })
    }
    underWay.set(folder, syncs)
    return syncs.now
  }
  const syncs = underWay.get(folder)
  if (syncs === undefined) return begin()
  return (syncs.next ??= syncs.now.then(begin, begin))
}

/** `folder` and its parents, up to the folder that contains `first`. */
const upTo = (folder: string, first: string | undefined): ReadonlyArray<string> =>
  first === undefined || folder.length < first.length ? [folder] : [folder, ...upTo(dirname(folder), first)]

/** Forces a folder and its new parents to the disk. One that was removed meanwhile needs no sync. */
const syncUpTo = async (folder: string, firstMade: string | undefined): Promise<void> => {
  const syncs = upTo(folder, firstMade).map(async (one) => {
    try {
      await syncShared(one)
    } catch (cause) {
      if (!isMissingCode(codeOf(cause))) throw cause
    }
  })
  await Promise.all(syncs)
}

/**
 * Makes a folder and its entries survive a power loss. `firstMade` is the first folder on the way that had to be made,
 * as `mkdir` answers it.
 */
export const syncFolders = (folder: string, firstMade: string | undefined): Effect.Effect<void, FileError> =>
  attempt(() => syncUpTo(folder, firstMade))

/** How often a folder is made again that another call removes as empty meanwhile. */
const maxFoldersMade = 100

/** Puts a file into a folder in one step. Missing folders are made; the result is the first one of them. */
const enter = async (
  target: string,
  put: () => Promise<void>,
  isForProxy = false,
  attempts = maxFoldersMade
): Promise<string | undefined> => {
  const folder = dirname(target)
  let firstMade: string | undefined
  try {
    firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
    if (isForProxy && firstMade !== undefined) {
      for (const one of upTo(folder, firstMade).slice(0, -1)) await chmod(one, passable)
    }
    await put()
  } catch (cause) {
    if (attempts === 0 || codeOf(cause) !== "ENOENT") throw cause
    return enter(target, put, isForProxy, attempts - 1)
  }
  return firstMade
}

/** As {@link enter}, in one durable step. */
const enterDurably = async (target: string, put: () => Promise<void>, isForProxy?: boolean): Promise<void> =>
  syncUpTo(dirname(target), await enter(target, put, isForProxy))

/** The finished file of an object, and the file with its bytes if they are alone in one. */
export interface FinishedFiles {
  readonly file: string
  readonly data?: { readonly path: string; readonly id: string }
}

/** Renames the bytes first, so that no object is without them. Once they are renamed, another call of it renames the rest. */
const renaming = ({ data, file }: FinishedFiles, target: string) => {
  let isDataRenamed = data === undefined
  return async () => {
    if (!isDataRenamed && data !== undefined) await rename(data.path, dataFileOf(target, data.id))
    isDataRenamed = true
    await rename(file, target)
  }
}

/** Renames finished files in one durable step and replaces an object of that name. Missing folders are made. */
export const publishFile = (files: FinishedFiles, target: string, isForProxy = false): Effect.Effect<void, FileError> =>
  Effect.uninterruptible(attempt(() => enterDurably(target, renaming(files, target), isForProxy)))

/** As {@link publishFile}, but a power loss can remove the name soon afterwards. */
export const stageFile = (files: FinishedFiles, target: string, isForProxy = false): Effect.Effect<void, FileError> =>
  Effect.asVoid(Effect.uninterruptible(attempt(() => enter(target, renaming(files, target), isForProxy))))

/** The size of a file; `undefined` if it is missing, 0 if the system refuses: the next call fails with the reason. */
const sizeOf = (file: string): number | undefined => {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size
  } catch {
    return 0
  }
}

/**
 * The id of the file with an object's bytes, if they are alone in one. A file that is larger than a line has them itself; where it was just
 * put or is missing, the system knows that without its disk.
 */
export const findDataId = (file: string): Effect.Effect<string | undefined, FileError> =>
  Effect.suspend(() => {
    const size = sizeOf(file)
    return size === undefined || size > longestHeader
      ? Effect.undefined
      : Effect.map(dataIdOf(file), (id) => (id === unreadable ? undefined : id))
  })

/** Removes the bytes of an object that was replaced. */
export const removeReplaced = Effect.fnUntraced(function* (target: string, before: string | undefined, now?: string) {
  if (before !== undefined && before !== now) yield* removeTemporary(dataFileOf(target, before))
})

/** The error codes of file systems that don't support links or don't allow another link to this file. */
const withoutLinks = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK", "EXDEV"])

const copy = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to)
  await using handle = await open(to, "r+")
  await handle.sync()
}

/** Gives a file that never changes a second name, or copies it where that is impossible. `makeLink` makes the link. */
export const duplicate = (from: string, to: string, makeLink = link): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(() => makeLink(from, to)),
    (error) => withoutLinks.has(error.code),
    () => attempt(() => copy(from, to))
  )

/**
 * Gives the file of an object, which never changes, a second name in one durable step, and returns whether it did: not if an object has that
 * name, if the first one is missing or has its bytes in another file, or where there are no links.
 */
export const linkFile = (from: string, target: string, isForProxy: boolean): Effect.Effect<boolean, FileError> =>
  Effect.flatMap(findDataId(from), (data) =>
    attempt(async () => {
      const size = sizeOf(from)
      if (size === undefined || data !== undefined) return false
      await enterDurably(target, () => link(from, target), isForProxy)
      // It may have been replaced meanwhile by one with its bytes in another file.
      return sizeOf(target) === size
    })
  ).pipe(
    Effect.catchIf(
      (error) => error.code === "EEXIST" || isMissing(error) || withoutLinks.has(error.code),
      () => Effect.succeed(false)
    ),
    Effect.uninterruptible
  )

/** Removes a folder and its parents below `root` as long as they are empty. */
const prune = (root: string, folder: string): Effect.Effect<void> =>
  folder === root
    ? Effect.void
    : Effect.matchEffect(
        attempt(() => rmdir(folder)),
        { onSuccess: () => prune(root, dirname(folder)), onFailure: () => Effect.void }
      )

const removeIfThere = (file: string): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(() => unlink(file)),
    isMissing,
    () => Effect.void
  )

/** Removes the files of objects below `root`, and the folders that become empty. A missing file is not an error. */
export const removeFiles = Effect.fnUntraced(function* (
  root: string,
  files: ReadonlyArray<string>
): Effect.fn.Return<void, FileError> {
  yield* Effect.forEach(files, removeIfThere, { concurrency: 16, discard: true })
  for (const [folder, removed] of Map.groupBy(files, (file) => dirname(file))) {
    if (folder !== root && (yield* Effect.isSuccess(attempt(() => rmdir(folder))))) {
      yield* prune(root, dirname(folder))
      continue
    }
    const owners = new Set(removed.map((file) => basename(file)))
    const names = (yield* entriesOf(folder)).map(({ name }) => name)
    const data = names.filter((name) => owners.has(ownerOf(name) ?? ""))
    yield* Effect.forEach(data, (name) => removeIfThere(join(folder, name)), {
      concurrency: 16,
      discard: true
    })
    if (data.length > 0) yield* prune(root, folder)
  }
})

/**
 * Removes bytes that no object has: a process was killed between the two files of an object. They are kept for a day, since the object's
 * file is put after them, and if that file can't be read.
 */
const removeStaleData = Effect.fnUntraced(function* (folder: string, name: string, owner: string) {
  const path = join(folder, name)
  const status = yield* Effect.option(attempt(() => stat(path)))
  if (Option.isNone(status) || (yield* Clock.currentTimeMillis) - status.value.ctimeMs <= dayInMillis) return
  const object = join(folder, owner)
  const id = yield* Effect.catchIf(dataIdOf(object), isMissing, () => Effect.undefined)
  if (id === unreadable || (id !== undefined && dataFileOf(object, id) === path)) return
  yield* removeTemporary(path)
})

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
  const { data: _data, fd: _fd, start: _start, ...facts } = file
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
      const owner = entry.isFile() ? ownerOf(entry.name) : undefined
      if (owner !== undefined) return Stream.fromEffectDrain(removeStaleData(folder, entry.name, owner))
      const key = entry.isFile() ? keyIn(prefix, entry.name) : undefined
      return key === undefined ? Stream.empty : Stream.succeed({ key, path, cursor })
    })
  )

/**
 * The objects below `folder`, whose keys begin with `prefix`, one after another behind a place. Removes bytes on the way that belong to
 * none.
 */
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
