/** Objects on a local disk. */
import { Context, Data, Effect, Layer } from "effect"
import { join, resolve } from "node:path"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { makeFolder } from "../makeFolder.ts"
import { ObjectSink } from "../signed-urls/ObjectSink.ts"
import { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { attempt } from "./files.ts"
import { assertFolders, removeStaleTemporaries, syncFolders, type Folders } from "./folders.ts"
import { makeObjects } from "./objects.ts"
import { verifyFiles, type Uploaded, type Verified } from "./verify.ts"

export type { Uploaded, Verified } from "./verify.ts"

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
  override get message() {
    return `Objects can't be kept in ${this.directory} (${this.code}): ${reasons[this.code] ?? "check the folder and its disk"}.`
  }
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
