import { Effect } from "effect"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import type { Located } from "../../core/rules/reservations.ts"
import { findHostedMismatch } from "../../core/rules/verification.ts"
import { contentDigest, decompressionBudget } from "../../core/service/contentDigest.ts"
import { isMissing, openObjectFile, pieces } from "./files.ts"
import { assertFolder, objectFiles } from "./folders.ts"

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
  const stream = pieces(file, 0, sizeBytes)
  const digest = yield* contentDigest({ ...file, stream }, decompressionBudget(Infinity)).pipe(
    Effect.catchTag(["NotGzip", "OverBudget"], () => Effect.undefined)
  )
  return { verdict: hashes.every((hash) => hash === digest) ? "whole" : "changed", bytes: sizeBytes } as const
}, Effect.scoped)

/**
 * Reads every object below the folder of objects and compares it with its upload, or else its content with the digest that was
 * stored with it.
 */
export const verifyFiles = Effect.fnUntraced(function* (objects: string, uploaded: Uploaded) {
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
