/** Objects on a local disk. */
import { Context, Data, Effect, Layer, type Scope, Stream } from "effect"
import { stat } from "node:fs/promises"
import { basename, join, relative, resolve } from "node:path"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { withFile } from "../../core/ports/HostServices.ts"
import { ObjectMissing, ObjectStore } from "../../core/ports/ObjectStore.ts"
import { type Located, reservationOf } from "../../core/rules/reservations.ts"
import { findHostedMismatch } from "../../core/rules/verification.ts"
import { contentDigest, decompressionBudget } from "../../core/service/contentDigest.ts"
import { makeFolder } from "../makeFolder.ts"
import { copiedMetadata } from "../object-store/ObjectDriver.ts"
import { type IncomingObject, ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import {
  attempt,
  dataFileOf,
  type FileError,
  headerOf,
  isFull,
  isMissing,
  openObjectFile,
  streamChunks,
  writeNewFile
} from "./files.ts"
import {
  assertFolder,
  assertFolders,
  duplicate,
  fileOf,
  findDataId,
  type FinishedFiles,
  folderOf,
  type Folders,
  linkFile,
  listBelow,
  objectFiles,
  openToProxy,
  publishFile,
  removeFiles,
  removeReplaced,
  removeStaleTemporaries,
  removeTemporary,
  scanBelow,
  stageFile,
  syncFolders,
  temporaryFile
} from "./folders.ts"

/** What an error code of the system means for the directory, and how to fix it. */
const reasons: Readonly<Record<string, string>> = {
  EROFS: "its file system is read-only; mount it for writing, or name another directory",
  EACCES: "this user may not write there; give it to the user that Slipway runs as",
  EPERM: "this user may not write there; give it to the user that Slipway runs as",
  ENOSPC: "there is no room; make some, or name another directory",
  EDQUOT: "this user's quota is used up; raise it, or name another directory",
  ENOTDIR: "a file is where a folder should be; remove it, or name another directory",
  EEXIST: "a file is where a folder should be; remove it, or name another directory"
}

/** Objects can't be kept in this directory; the message says why and how to fix it. */
export class DirectoryUnusable extends Data.TaggedError("DirectoryUnusable")<{
  readonly directory: string
  readonly code: string
  readonly cause: unknown
}> {
  override readonly message = `Objects can't be kept in ${this.directory} (${this.code}): ${reasons[this.code] ?? "check the folder and its disk"}.`
}

const foldersOf = (directory: string, isForProxy = false): Folders => ({
  objects: join(directory, "objects"),
  temporary: join(directory, ".tmp"),
  isForProxy
})

/**
 * Reads every object in a directory and names those that differ from what was stored, or from what the metadata has of their
 * upload. A read compares only what is written in front of an object's bytes; a change of bytes by a failing disk or a person
 * is found here.
 */
export const verify = (directory: string, uploaded: Uploaded = new Map()): Effect.Effect<Verified, DirectoryUnusable> =>
  Effect.catchTag(verifyFiles(foldersOf(directory).objects, uploaded), "FileError", ({ cause, code }) =>
    Effect.fail(new DirectoryUnusable({ directory, code, cause }))
  )

/**
 * The object store on a directory of the local disk, and the sink behind its signed URLs for a host to mount. The
 * directory is made if it is missing; `DirectoryUnusable` when nothing can be kept in it. Several processes may share
 * it.
 *
 * A stored or promoted object survives a crash of the process and of the machine.
 *
 * The bytes of new objects with `minProxiedBytes` or more are stored alone in a file, which a proxy of the directory's group may read and send
 * (`withFile` of `core/ports/HostServices.ts`). Without it, none are. Objects of both forms are read in any case.
 */
export const layer = (options: { readonly directory: string; readonly minProxiedBytes?: number | undefined }) => {
  const directory = resolve(options.directory)
  return Layer.effectContext(
    Effect.gen(function* () {
      const folders = foldersOf(directory, options.minProxiedBytes !== undefined)
      for (const folder of [folders.objects, folders.temporary]) {
        const firstMade = yield* attempt(async () => makeFolder(folder))
        yield* syncFolders(folder, firstMade)
      }
      yield* assertFolders(folders)
      if (folders.isForProxy) yield* openToProxy([directory, folders.objects])
      yield* removeStaleTemporaries(folders.temporary)
      const { sink, store } = makeObjects(yield* SignedUrls, folders, options.minProxiedBytes)
      return Context.make(ObjectStore, store).pipe(Context.add(ObjectSink, sink))
    }).pipe(
      Effect.catchTag("FileError", ({ cause, code }) => Effect.fail(new DirectoryUnusable({ directory, code, cause })))
    )
  )
}

/** The result of reading every file of a directory. */
export interface Verified {
  readonly objects: number
  readonly bytes: number
  /** The keys whose file is incomplete or holds other content than was stored. */
  readonly changed: ReadonlyArray<ObjectKey>
  /** How many objects can't be checked because neither the metadata nor the file has a digest. */
  readonly undigested: number
}

/** What the metadata has of the objects of uploads, by their keys. Several uploads may share an object. */
export type Uploaded = ReadonlyMap<string, ReadonlyArray<Located>>

const verifyFile = Effect.fnUntraced(function* (path: string, uploads: ReadonlyArray<Located>) {
  const file = yield* Effect.catchIf(openObjectFile(path), isMissing, () => Effect.succeed("removed" as const))
  if (file === "removed") return { verdict: "removed", bytes: 0 } as const
  if (file === undefined) return { verdict: "changed", bytes: 0 } as const
  const { contentType, sizeBytes } = file
  const stored = { sizeBytes, contentType, digest: file.contentHash }
  if (uploads.some((one) => findHostedMismatch(one, stored) !== undefined)) {
    return { verdict: "changed", bytes: sizeBytes } as const
  }
  const known = uploads.flatMap(({ contentHash }) => contentHash ?? [])
  const hashes = known.length === 0 && file.contentHash !== undefined ? [file.contentHash] : known
  if (hashes.length === 0) return { verdict: "undigested", bytes: sizeBytes } as const
  const stream = streamChunks(file, 0, sizeBytes)
  const digest = yield* contentDigest({ ...file, stream }, decompressionBudget(Infinity)).pipe(
    Effect.catchTag(["NotGzip", "OverBudget"], () => Effect.undefined)
  )
  return { verdict: hashes.every((hash) => hash === digest) ? "whole" : "changed", bytes: sizeBytes } as const
}, Effect.scoped)

/**
 * Reads every object below the folder of objects and compares it with its upload, or else its content with the digest that was
 * stored with it.
 */
const verifyFiles = Effect.fnUntraced(function* (objects: string, uploaded: Uploaded) {
  yield* assertFolder(objects)
  const files = Array.from(yield* objectFiles(objects))
  const verdicts = yield* Effect.forEach(
    files,
    ([key, path]) => Effect.map(verifyFile(path, uploaded.get(key) ?? []), (found) => ({ key, ...found })),
    { concurrency: 4 }
  )
  const present = verdicts.filter(({ verdict }) => verdict !== "removed")
  const verified: Verified = {
    objects: present.length,
    bytes: present.reduce((sum, { bytes }) => sum + bytes, 0),
    changed: present.filter(({ verdict }) => verdict === "changed").map(({ key }) => key),
    undigested: present.filter(({ verdict }) => verdict === "undigested").length
  }
  return verified
})

const nothing = new Uint8Array()

/**
 * Objects in files. A file is written under a temporary name and then renamed in one step. It never changes afterwards,
 * so readers and promoted copies can share it.
 */
const makeObjects = (urls: SignedUrls["Service"], folders: Folders, minProxiedBytes = Infinity) => {
  const { isForProxy } = folders
  const fileNamed = (key: ObjectKey) => fileOf(folders.objects, key)

  /** When the store's own folder is missing, the store is unavailable, and its objects don't count as missing. */
  const missing = Effect.andThen(assertFolder(folders.objects), Effect.fail(new ObjectMissing()))

  /** Writes an object under temporary names, its bytes to a file of their own if a proxy may send them. */
  const write = Effect.fnUntraced(function* <E>(
    object: Omit<IncomingObject, "key">,
    bytes: Stream.Stream<Uint8Array, E>,
    contentHash: Effect.Effect<string | undefined>
  ): Effect.fn.Return<FinishedFiles, E | FileError, Scope.Scope> {
    const file = yield* temporaryFile(folders.temporary)
    if (object.sizeBytes < minProxiedBytes) {
      const writer = yield* writeNewFile(file, headerOf(object))
      yield* Stream.runForEachArray(bytes, writer.append)
      yield* writer.finish(headerOf(object, yield* contentHash))
      return { file }
    }
    const path = yield* temporaryFile(folders.temporary)
    const writer = yield* writeNewFile(path, nothing, true)
    yield* Stream.runForEachArray(bytes, writer.append)
    yield* writer.finish(nothing)
    const id = basename(path)
    const header = headerOf(object, yield* contentHash, id)
    yield* (yield* writeNewFile(file, header)).finish(header)
    return { file, data: { path, id } }
  })

  /** Gives finished files the name of an object, and removes the bytes of the object that had it. */
  const replace = Effect.fnUntraced(function* (
    files: FinishedFiles,
    target: string,
    publish = publishFile
  ): Effect.fn.Return<void, FileError> {
    const before = yield* Effect.catchIf(findDataId(target), isMissing, () => Effect.undefined)
    yield* publish(files, target, isForProxy)
    if (before !== undefined) yield* removeReplaced(target, before, files.data?.id)
  }, Effect.uninterruptible)

  /** Gives the files of an object temporary second names; `undefined` if it has lost its bytes. */
  const duplicateFiles = Effect.fnUntraced(function* (
    source: string
  ): Effect.fn.Return<FinishedFiles | undefined, FileError, Scope.Scope> {
    for (let before: string | undefined; ;) {
      const file = yield* temporaryFile(folders.temporary)
      yield* duplicate(source, file)
      const id = yield* findDataId(file)
      if (id === undefined) return { file }
      const path = yield* temporaryFile(folders.temporary)
      const isThere = yield* Effect.catchIf(Effect.as(duplicate(dataFileOf(source, id), path), true), isMissing, () =>
        Effect.succeed(false)
      )
      if (isThere) return { file, data: { path, id } }
      yield* removeTemporary(file)
      // Otherwise, the object was replaced between the two calls.
      if (id === before) return undefined
      before = id
    }
  })

  return makeServedStore<FileError>(urls, {
    receive: Effect.fnUntraced(function* (object, bytes, contentHash) {
      const files = yield* write(object, bytes, contentHash)
      // The promotion makes the name of an upload durable. After a power loss before that, the finalize reports the object as missing.
      const publish = reservationOf(object.key) === undefined ? publishFile : stageFile
      yield* replace(files, fileNamed(object.key), publish)
    }, Effect.scoped),
    copy: Effect.fnUntraced(function* (from, to, contentType) {
      const [source, target] = [fileNamed(from), fileNamed(to)]
      if (contentType === undefined && (yield* linkFile(source, target, isForProxy))) return
      if (contentType !== undefined) {
        const file = yield* Effect.catchIf(openObjectFile(source), isMissing, () => Effect.undefined)
        if (file === undefined) return yield* missing
        if (file.contentType !== contentType || file.contentEncoding !== undefined) {
          const { contentHash, ...facts } = copiedMetadata(file, contentType)
          const { sizeBytes } = file
          const bytes = streamChunks(file, 0, sizeBytes)
          return yield* replace(yield* write({ ...facts, sizeBytes }, bytes, Effect.succeed(contentHash)), target)
        }
      }
      const sourceIsThere = Effect.catchIf(
        attempt(() => stat(source)),
        isMissing,
        () => missing
      )
      // The missing file may also be the folder of temporary files.
      const files = yield* Effect.catchIf(duplicateFiles(source), isMissing, (error) =>
        Effect.andThen(sourceIsThere, Effect.fail(error))
      )
      if (files === undefined) return yield* missing
      yield* replace(files, target)
      // Where both names were of one file already, the system renames nothing.
      yield* removeTemporary(files.file)
      if (files.data !== undefined) yield* removeTemporary(files.data.path)
    }, Effect.scoped),
    list: (folder) =>
      // The folder is checked afterwards, so that objects don't count as missing when the folder was lost meanwhile.
      Effect.tap(listBelow(folderOf(folders.objects, folder), `${folder}/`), assertFolder(folders.objects)),
    scan: (folder, after) =>
      Stream.concat(
        scanBelow(folderOf(folders.objects, folder), `${folder}/`, after),
        Stream.fromEffectDrain(assertFolder(folders.objects))
      ),
    open: Effect.fnUntraced(function* (key) {
      const file = yield* Effect.catchIf(openObjectFile(fileNamed(key)), isMissing, () => Effect.undefined)
      if (file === undefined) return yield* missing
      const { contentEncoding, contentHash, contentType, data, sizeBytes } = file
      const alone = data === undefined ? undefined : relative(folders.objects, dataFileOf(fileNamed(key), data))
      return {
        ...withoutUndefined({ contentEncoding, contentHash }),
        contentType,
        sizeBytes,
        stream: (offset: number, length: number) => {
          const stream = streamChunks(file, offset, length)
          return Effect.succeed(alone === undefined ? stream : withFile(stream, alone))
        }
      }
    }),
    remove: (keys) => removeFiles(folders.objects, keys.map(fileNamed)),
    check: assertFolders(folders),
    log: ({ cause }) => Effect.logError("The file system refused", cause),
    isFull
  })
}
