/** Objects on a local disk. */
import { Context, Data, Effect, Layer } from "effect"
import { mkdir } from "node:fs/promises"
import { join, resolve } from "node:path"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { ObjectSink } from "../signed-urls/ObjectSink.ts"
import { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { attempt } from "./attempt.ts"
import { makeObjects } from "./objects.ts"
import { syncFolders } from "./syncFolders.ts"
import { removeLeftovers } from "./temporary.ts"

/** Objects can't be kept in this directory; `cause` says why. */
export class DirectoryUnusable extends Data.TaggedError("DirectoryUnusable")<{
  readonly directory: string
  readonly cause: unknown
}> {}

/**
 * The object store, and the sink behind its signed URLs for a host to mount, on a directory of the local disk. The
 * directory is made when it isn't there. Several processes may share it.
 *
 * What is stored or promoted outlives a crash of the process and of the machine.
 */
export const layer = (options: { readonly directory: string }) => {
  const directory = resolve(options.directory)
  return Layer.effectContext(
    Effect.gen(function* () {
      const folders = { objects: join(directory, "objects"), temporary: join(directory, ".tmp") }
      for (const folder of [folders.objects, folders.temporary]) {
        const firstMade = yield* attempt(() => mkdir(folder, { recursive: true, mode: 0o700 }))
        yield* syncFolders(folder, firstMade)
      }
      yield* removeLeftovers(folders.temporary)
      const { sink, store } = makeObjects(yield* SignedUrls, folders)
      return Context.make(ObjectStore, store).pipe(Context.add(ObjectSink, sink))
    }).pipe(Effect.catchTag("FileError", ({ cause }) => Effect.fail(new DirectoryUnusable({ directory, cause }))))
  )
}
