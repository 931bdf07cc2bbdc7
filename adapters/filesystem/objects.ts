import { Effect, Stream } from "effect"
import { stat } from "node:fs/promises"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectMissing } from "../../core/ports/ObjectStore.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import { copiedMetadata } from "../object-store/ObjectDriver.ts"
import type { SignedUrls } from "../signed-urls/SignedUrls.ts"
import {
  attempt,
  headerOf,
  isFull,
  isMissing,
  openObjectFile,
  pieces,
  writeNewFile,
  type FileError,
  type ObjectFile
} from "./files.ts"
import {
  assertFolder,
  assertFolders,
  duplicate,
  fileOf,
  folderOf,
  listBelow,
  publishFile,
  removeFiles,
  removeTemporary,
  scanBelow,
  temporaryFile,
  type Folders
} from "./folders.ts"

/** Writes the bytes of an object's file to a new file, with other facts before them. */
const copyAs = Effect.fnUntraced(function* (
  source: ObjectFile,
  { contentHash, contentType }: { readonly contentType: string; readonly contentHash?: string },
  path: string
) {
  const copy = yield* writeNewFile(path)
  const { sizeBytes } = source
  const header = headerOf({ contentType, sizeBytes }, contentHash)
  yield* copy.append([header])
  yield* Stream.runForEachArray(pieces(source, 0, sizeBytes), copy.append)
  yield* copy.finish(header)
})

/**
 * Objects in files. A file is written under a temporary name and then renamed in one step. It never changes afterwards,
 * so readers and promoted copies can share it.
 */
export const makeObjects = (urls: SignedUrls["Service"], folders: Folders) => {
  const fileNamed = (key: ObjectKey) => fileOf(folders.objects, key)

  /** When the store's own folder is missing, the store is unavailable, and its objects don't count as missing. */
  const missing = Effect.andThen(assertFolder(folders.objects), Effect.fail(new ObjectMissing()))

  return makeServedStore<FileError>(urls, {
    receive: Effect.fnUntraced(function* (object, bytes, contentHash) {
      const path = yield* temporaryFile(folders.temporary)
      const file = yield* writeNewFile(path)
      yield* file.append([headerOf(object)])
      yield* Stream.runForEachArray(bytes, file.append)
      yield* file.finish(headerOf(object, yield* contentHash))
      yield* publishFile(path, fileNamed(object.key))
    }, Effect.scoped),
    copy: Effect.fnUntraced(function* (from, to, contentType) {
      const source = fileNamed(from)
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
        stream: (offset: number, length: number) => Effect.succeed(pieces(file, offset, length))
      }
    }),
    remove: (keys) => removeFiles(folders.objects, keys.map(fileNamed)),
    check: assertFolders(folders),
    log: ({ cause }) => Effect.logError("The file system refused", cause),
    isFull
  })
}
