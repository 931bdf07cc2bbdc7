import { Effect, Stream, type Scope } from "effect"
import type { OpenObject, StoredObject } from "../../../core/ports/ObjectStore.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { findHostedMismatch, isGzip, notValidGzip, type FoundObject } from "../../../core/rules/verification.ts"
import {
  contentDigest,
  decompressionBudget,
  streamDigest,
  type StreamDigest
} from "../../../core/service/contentDigest.ts"
import type { HostedObject } from "../../node/hostedObjects.ts"
import { ArchiveUnusable, objectsIn, type Entry } from "./archive.ts"
import type { LeftOut } from "./scope.ts"

/** Whether what was found is what the upload declared. */
const isAsDeclared = (declared: HostedObject, found: FoundObject): boolean =>
  findHostedMismatch(declared, found) === undefined

const digested = (digest: string | undefined) => (digest === undefined ? { undigested: notValidGzip } : { digest })

/** Returns, after an object was read, whether its content equals the uploaded content. */
interface Compared extends Pick<StreamDigest, "passThrough"> {
  /**
   * Asked of each upload that has the object: false if it has another size, type or digest than was uploaded. A digest that isn't
   * known isn't compared, and neither is the type of what is shared.
   */
  readonly isAsUploaded: Effect.Effect<(hosted: HostedObject) => boolean>
}

/** Compares objects with the digest that the metadata has of their upload, or else with the one that the store took of it. */
export const comparedWith = (listed: ReadonlyArray<StoredObject>) => {
  const taken = new Map(listed.map(({ contentHash, key }) => [key, contentHash]))
  const known = (hosted: HostedObject): HostedObject => ({
    ...hosted,
    ...withoutUndefined({ contentHash: hosted.contentHash ?? taken.get(hosted.key) })
  })
  return (object: OpenObject): Effect.Effect<Compared, never, Scope.Scope> => {
    const { contentType, sizeBytes } = object
    return Effect.map(streamDigest(object, decompressionBudget(Infinity)), (digest) => ({
      passThrough: digest.passThrough,
      isAsUploaded: Effect.map(digest.digest, (found) => {
        const facts = { contentType, sizeBytes, ...digested(found) }
        return (hosted) => isAsDeclared(known(hosted), facts)
      })
    }))
  }
}

/**
 * Compares the objects of an archive that was checked against its manifest with the uploads that its records describe.
 * Those that were marked as damaged when it was made aren't compared. Only gzip is read for it: of anything else the
 * manifest has the digest.
 */
export const assertAsUploaded = Effect.fnUntraced(function* (
  file: string,
  { entries, leftOut }: { readonly entries: ReadonlyMap<string, Entry>; readonly leftOut: LeftOut },
  hosted: ReadonlyMap<string, ReadonlyArray<HostedObject>>
) {
  const other = (key: string) => new ArchiveUnusable({ file, why: `objects/${key} isn't what its upload declared` })
  const packed = new Map<string, Entry & { contentType: string }>()
  const areAsDeclared = (key: string, found: FoundObject) =>
    (hosted.get(key) ?? []).every((declared) => isAsDeclared(declared, found))
  for (const key of hosted.keys()) {
    const entry = entries.get(`objects/${key}`)
    if (entry === undefined) {
      return yield* new ArchiveUnusable({ file, why: `objects/${key} is missing, which a record of it names` })
    }
    if (entry.damaged === true) continue
    const { contentEncoding, contentType = "application/octet-stream", sha256, sizeBytes } = entry
    const isPacked = isGzip(contentType, contentEncoding)
    if (isPacked) packed.set(key, { ...entry, contentType })
    if (!areAsDeclared(key, { contentType, sizeBytes, ...(isPacked ? {} : { digest: sha256 }) })) {
      return yield* other(key)
    }
  }
  if (packed.size === 0) return
  yield* Stream.runForEach(
    objectsIn(file, leftOut),
    Effect.fnUntraced(function* ({ bytes, key }) {
      const entry = packed.get(key)
      const isDigested = hosted.get(key)?.some(({ contentHash }) => contentHash !== undefined)
      if (entry === undefined || isDigested !== true) return yield* Stream.runDrain(bytes)
      const digest = yield* contentDigest({ ...entry, stream: bytes }, decompressionBudget(Infinity)).pipe(
        Effect.catchTag(["NotGzip", "OverBudget"], () => Effect.undefined)
      )
      if (!areAsDeclared(key, { ...entry, ...digested(digest) })) return yield* other(key)
    })
  )
})
