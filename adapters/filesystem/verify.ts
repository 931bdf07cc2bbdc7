import { Effect } from "effect"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { contentDigest } from "../../core/service/contentDigest.ts"
import { decompressionBudget } from "../../core/service/decompressionBudget.ts"
import { isMissing } from "./attempt.ts"
import { assertFolder } from "./folders.ts"
import { objectFiles } from "./list.ts"
import { openObjectFile } from "./objectFile.ts"
import { pieces } from "./reading.ts"

/** What every file of a directory holds, beside what was stored. */
export interface Verified {
  readonly objects: number
  readonly bytes: number
  /** The keys whose file is no whole object any more, or holds other content than was stored. */
  readonly changed: ReadonlyArray<ObjectKey>
  /** How many objects can't be held against anything, as no digest was kept with them. */
  readonly undigested: number
}

const verifyFile = Effect.fnUntraced(function* (path: string) {
  const file = yield* Effect.catchIf(openObjectFile(path), isMissing, () => Effect.succeed("gone" as const))
  if (file === "gone") return { verdict: "gone", bytes: 0 } as const
  if (file === undefined) return { verdict: "changed", bytes: 0 } as const
  const { contentHash, handle, sizeBytes, start, ...type } = file
  if (contentHash === undefined) return { verdict: "undigested", bytes: sizeBytes } as const
  const stream = pieces(handle, start, sizeBytes)
  const digest = yield* contentDigest({ ...type, stream }, decompressionBudget(Infinity)).pipe(
    Effect.catchTag(["NotGzip", "OverBudget"], () => Effect.undefined)
  )
  return { verdict: digest === contentHash ? "whole" : "changed", bytes: sizeBytes } as const
}, Effect.scoped)

/** Reads every object below the folder of objects and holds its content against the digest that was kept with it. */
export const verifyFiles = Effect.fnUntraced(function* (objects: string) {
  yield* assertFolder(objects)
  const files = Array.from(yield* objectFiles(objects))
  const verdicts = yield* Effect.forEach(
    files,
    ([key, path]) => Effect.map(verifyFile(path), (found) => ({ key, ...found })),
    { concurrency: 4 }
  )
  const there = verdicts.filter(({ verdict }) => verdict !== "gone")
  const verified: Verified = {
    objects: there.length,
    bytes: there.reduce((sum, { bytes }) => sum + bytes, 0),
    changed: there.filter(({ verdict }) => verdict === "changed").map(({ key }) => key),
    undigested: there.filter(({ verdict }) => verdict === "undigested").length
  }
  return verified
})
