import { Effect } from "effect"
import { existsSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { Writable } from "node:stream"
import { MoveRefused } from "./outcome.ts"

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "its disk is full; make room, or"],
  ["EDQUOT", "its disk is full; make room, or"],
  ["ENOENT", "its folder isn't there; make it, or"],
  ["EACCES", "its folder may not be written to;"],
  ["EROFS", "its folder may not be written to;"]
])

/** Why a backup can't be written, in one line. */
export const notWritten = (file: string, cause: unknown): MoveRefused => {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)
  const why = reasons.get(code) ?? `${code};`
  return new MoveRefused({
    message: `The backup ${file} can't be written: ${why} write it elsewhere. No part of it is left.`
  })
}

/** Writes a file under a temporary name and renames it once it is complete and synced. Removes it on failure. */
export const toFile = <A, E, R>(file: string, write: (out: Writable) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    if (existsSync(file)) {
      return yield* new MoveRefused({ message: `There is a file ${file} already; name another, or remove it.` })
    }
    const partial = `${file}.partial`
    const named = Effect.tryPromise({
      try: async () => {
        await rename(partial, file)
        await using folder = await open(dirname(file), "r")
        await folder.sync()
      },
      catch: (cause) => notWritten(file, cause)
    })
    const opened = Effect.tryPromise({
      try: () => open(partial, "w", 0o600),
      catch: (cause) => notWritten(file, cause)
    })
    return yield* Effect.flatMap(opened, (handle) => {
      const out = handle.createWriteStream({ flush: true })
      return Effect.ensuring(
        write(out),
        Effect.sync(() => out.destroy())
      )
    }).pipe(
      Effect.tap(named),
      Effect.onError(() => Effect.promise(() => rm(partial, { force: true })))
    )
  })
