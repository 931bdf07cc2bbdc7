import { Data, Effect } from "effect"
import { existsSync } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import type { Writable } from "node:stream"
import { databaseAddress } from "../../node/settings/engineSettings.ts"
import type { ProcessSettings } from "../../node/settings/settings.ts"

/** A move that was refused or failed, as one line that says what to do. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{ readonly message: string }> {}

/** The target isn't empty. */
export const notEmpty = (where: string) =>
  new MoveRefused({ message: `The deployment ${where} is not empty, so nothing was changed. Name an empty one.` })

/** The stores that the settings select: someone may have expected others. */
export const storesOf = ({
  data,
  database,
  file,
  s3
}: Pick<ProcessSettings, "data" | "database" | "file" | "s3">): string => {
  const place = database && databaseAddress(database.url)
  const metadata = place === undefined ? (file ?? data) : `PostgreSQL (${place.database} at ${place.server})`
  const objects = s3 === undefined ? data : `S3 (bucket ${s3.bucket})`
  return metadata === objects ? data : `${metadata} and ${objects}`
}

const grouped = (value: number): string => value.toLocaleString("en-US")

/** Two columns of numbers side by side, and whether they are equal. */
export const comparison = (
  from: ReadonlyArray<readonly [what: string, count: number]>,
  to: ReadonlyArray<readonly [what: string, count: number]>
) => {
  const there = new Map(to)
  const rows = from.map(([what, count]) => [what, grouped(count), grouped(there.get(what) ?? 0)] as const)
  return {
    same: from.every(([what, count]) => (there.get(what) ?? 0) === count) && to.length === from.length,
    lines: [["", "from", "to"] as const, ...rows].map(
      ([what, a, b]) => `${what.padEnd(16)}${a.padStart(20)}${b.padStart(20)}`
    )
  }
}

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
