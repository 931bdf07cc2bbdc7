/** Objects on a local disk. */
import { Context, Data, Effect, Layer, Stream } from "effect"
import { stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectMissing, ObjectStore } from "../../core/ports/ObjectStore.ts"
import { type Located, reservationOf } from "../../core/rules/reservations.ts"
import { findHostedMismatch } from "../../core/rules/verification.ts"
import { contentDigest, decompressionBudget } from "../../core/service/contentDigest.ts"
import { makeFolder } from "../makeFolder.ts"
import { copiedMetadata } from "../object-store/ObjectDriver.ts"
import { ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import {
  attempt,
  type FileError,
  headerOf,
  isFull,
  isMissing,
  type ObjectFile,
  openObjectFile,
  streamChunks,
  writeNewFile
} from "./files.ts"
import {
  assertFolder,
  assertFolders,
  duplicate,
  fileOf,
  folderOf,
  type Folders,
  linkFile,
  listBelow,
  objectFiles,
  publishFile,
  removeFiles,
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

const foldersOf = (directory: string): Folders => ({
  objects: join(directory, "objects"),
  temporary: join(directory, ".tmp")
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
 */
export const layer = (options: { readonly directory: string }) => {
  const directory = resolve(options.directory)
  return Layer.effectContext(
    Effect.gen(function* () {
      const folders = foldersOf(directory)
      for (const folder of [folders.objects, folders.temporary]) {
        const firstMade = yield* attempt(async () => makeFolder(folder))
        yield* syncFolders(folder, firstMade)
      }
      yield* assertFolders(folders)
      yield* removeStaleTemporaries(folders.temporary)
      const { sink, store } = makeObjects(yield* SignedUrls, folders)
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

/** Writes the bytes of an object's file to a new file, with other facts before them. */
const copyAs = Effect.fnUntraced(function* (
  source: ObjectFile,
  { contentHash, contentType }: { readonly contentType: string; readonly contentHash?: string },
  path: string
) {
  const { sizeBytes } = source
  const header = headerOf({ contentType, sizeBytes }, contentHash)
  const copy = yield* writeNewFile(path, header)
  yield* Stream.runForEachArray(streamChunks(source, 0, sizeBytes), copy.append)
  yield* copy.finish(header)
})

/**
 * Objects in files. A file is written under a temporary name and then renamed in one step. It never changes afterwards,
 * so readers and promoted copies can share it.
 */
const makeObjects = (urls: SignedUrls["Service"], folders: Folders) => {
  const fileNamed = (key: ObjectKey) => fileOf(folders.objects, key)

  /** When the store's own folder is missing, the store is unavailable, and its objects don't count as missing. */
  const missing = Effect.andThen(assertFolder(folders.objects), Effect.fail(new ObjectMissing()))

  return makeServedStore<FileError>(urls, {
    receive: Effect.fnUntraced(function* (object, bytes, contentHash) {
      const path = yield* temporaryFile(folders.temporary)
      const file = yield* writeNewFile(path, headerOf(object))
      yield* Stream.runForEachArray(bytes, file.append)
      yield* file.finish(headerOf(object, yield* contentHash))
      // The promotion makes the name of an upload durable. After a power loss before that, the finalize reports the object as missing.
      const publish = reservationOf(object.key) === undefined ? publishFile : stageFile
      yield* publish(path, fileNamed(object.key))
    }, Effect.scoped),
    copy: Effect.fnUntraced(function* (from, to, contentType) {
      const source = fileNamed(from)
      if (contentType === undefined && (yield* linkFile(source, fileNamed(to)))) return
      const path = yield* temporaryFile(folders.temporary)
      if (contentType !== undefined) {
        const file = yield* Effect.catchIf(openObjectFile(source), isMissing, () => Effect.undefined)
        if (file === undefined) return yield* missing
        if (file.contentType !== contentType || file.contentEncoding !== undefined) {
          yield* copyAs(file, copiedMetadata(file, contentType), path)
          return yield* publishFile(path, fileNamed(to))
        }
      }
      const sourceIsThere = Effect.catchIf(
        attempt(() => stat(source)),
        isMissing,
        () => missing
      )
      // The missing file may also be the folder of temporary files.
      yield* Effect.catchIf(duplicate(source, path), isMissing, (error) =>
        Effect.andThen(sourceIsThere, Effect.fail(error))
      )
      yield* publishFile(path, fileNamed(to))
      // Where both names were of one file already, the system renames nothing.
      yield* removeTemporary(path)
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
      const { contentEncoding, contentHash, contentType, sizeBytes } = file
      return {
        ...withoutUndefined({ contentEncoding, contentHash }),
        contentType,
        sizeBytes,
        stream: (offset: number, length: number) => Effect.succeed(streamChunks(file, offset, length))
      }
    }),
    remove: (keys) => removeFiles(folders.objects, keys.map(fileNamed)),
    check: assertFolders(folders),
    log: ({ cause }) => Effect.logError("The file system refused", cause),
    isFull
  })
}
