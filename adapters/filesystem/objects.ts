import { Effect, Stream } from "effect"
import { open, stat } from "node:fs/promises"
import { ObjectMissing, ObjectStore } from "../../core/ports/ObjectStore.ts"
import type { ByteRange } from "../../core/model/Artifact.ts"
import { illegalKey, illegalPrefix } from "../../core/rules/objectKeys.ts"
import { exactly } from "../signed-urls/exactly.ts"
import { ObjectSink } from "../signed-urls/ObjectSink.ts"
import type { IncomingObject } from "../signed-urls/ObjectSink.ts"
import { inTurns } from "../signed-urls/inTurns.ts"
import { resolveRange } from "../signed-urls/resolveRange.ts"
import type { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { attempt, attemptOrUnavailable, isMissing, unavailable } from "./attempt.ts"
import { duplicate } from "./duplicate.ts"
import { assertFolder, assertFolders } from "./folders.ts"
import type { Folders } from "./folders.ts"
import { fileOf, folderOf } from "./layout.ts"
import { listBelow } from "./list.ts"
import { close, headerOf, openObjectFile } from "./objectFile.ts"
import { publishFile } from "./publishFile.ts"
import { pieces } from "./reading.ts"
import { removeFiles } from "./remove.ts"
import { temporaryFile } from "./temporary.ts"

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array =>
  chunks[0] !== undefined && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)

/**
 * Objects in files. A file is written under a temporary name and then given its own in one step; it is never changed
 * afterwards, so readers and promoted copies share it.
 */
export const makeObjects = (urls: SignedUrls["Service"], folders: Folders) => {
  const find = (key: string): Effect.Effect<string, ObjectMissing> => {
    const file = fileOf(folders.objects, key)
    return file === undefined ? Effect.fail(new ObjectMissing()) : Effect.succeed(file)
  }

  /** A store without its own folder is out of reach; nothing in it is missing. */
  const missing = Effect.andThen(assertFolder(folders.objects), Effect.fail(new ObjectMissing()))

  /** Where a key is to be written. Nobody may ask for one that isn't a key. */
  const targetOf = (key: string): Effect.Effect<string> => Effect.catch(find(key), () => Effect.die(illegalKey(key)))

  const receive = <E>(object: IncomingObject, bytes: Stream.Stream<Uint8Array, E>) =>
    Effect.gen(function* () {
      const target = yield* targetOf(object.key)
      const path = yield* temporaryFile(folders.temporary)
      const file = yield* Effect.acquireRelease(
        attemptOrUnavailable(() => open(path, "wx", 0o600)),
        close
      )
      yield* attemptOrUnavailable(() => file.writeFile(headerOf(object)))
      yield* Stream.runForEachArray(exactly(object.sizeBytes)(bytes), (chunks) =>
        attemptOrUnavailable(() => file.writeFile(joined(chunks)))
      )
      yield* attemptOrUnavailable(() => file.sync())
      yield* Effect.catchTag(publishFile(path, target), "FileError", unavailable)
    }).pipe(Effect.scoped)

  const promote = Effect.fnUntraced(
    function* (from: string, to: string) {
      const source = yield* find(from)
      const target = yield* targetOf(to)
      const path = yield* temporaryFile(folders.temporary)
      const sourceIsThere = Effect.catchIf(
        attempt(() => stat(source)),
        isMissing,
        () => missing
      )
      // What is missing may also be the folder of temporary files.
      yield* Effect.catchIf(duplicate(source, path), isMissing, (error) =>
        Effect.andThen(sourceIsThere, Effect.fail(error))
      )
      yield* publishFile(path, target)
    },
    Effect.scoped,
    Effect.catchTag("FileError", unavailable),
    Effect.uninterruptible
  )

  const read = Effect.fnUntraced(
    function* (key: string, range?: ByteRange) {
      const path = yield* find(key)
      const file = yield* Effect.catchIf(openObjectFile(path), isMissing, () => Effect.undefined)
      if (file === undefined) return yield* missing
      const { handle, start, ...facts } = file
      const { length, offset } = yield* resolveRange(range, facts.sizeBytes)
      return { ...facts, offset, length, stream: pieces(handle, start + offset, length) }
    },
    Effect.catchTag("FileError", unavailable)
  )

  const store = ObjectStore.of({
    presignPuts: (requests) => inTurns(requests, urls.put),
    presignGet: (request) => Effect.sync(() => urls.get(request)),
    promote,
    list: (prefix) => {
      if (!prefix.endsWith("/")) return Effect.die(illegalPrefix(prefix))
      const folder = folderOf(folders.objects, prefix)
      return folder === undefined
        ? Effect.succeed([])
        : listBelow(folder, prefix).pipe(
            // Afterwards: what was lost on the way isn't missing either.
            Effect.tap(assertFolder(folders.objects)),
            Effect.catchTag("FileError", unavailable)
          )
    },
    read,
    remove: (keys) => {
      const files = keys.map((key) => fileOf(folders.objects, key)).filter((file) => file !== undefined)
      return Effect.catchTag(removeFiles(folders.objects, files), "FileError", unavailable)
    },
    check: Effect.catchTag(assertFolders(folders), "FileError", unavailable)
  })

  return { store, sink: ObjectSink.of({ receive }) }
}
