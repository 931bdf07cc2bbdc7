import { Effect, type Scope } from "effect"
import type { OpenObject, StoredObject } from "../../../core/ports/ObjectStore.ts"
import { decompressionBudget } from "../../../core/service/decompressionBudget.ts"
import { passingDigest, type PassingDigest } from "../../../core/service/passingDigest.ts"
import type { HostedObject } from "../../node/backup/hostedObjects.ts"

/** Tells, after an object was read, whether its content is that which was uploaded. */
export interface Compared extends Pick<PassingDigest, "pass"> {
  /** False if the content that passed has another digest. True also if no digest is known. */
  readonly isAsUploaded: Effect.Effect<boolean>
}

/** Compares objects with the digest that their upload declared, or else with the one that the store took of it. */
export const comparedWith = (listed: ReadonlyArray<StoredObject>) => {
  const taken = new Map(listed.map(({ contentHash, key }) => [key, contentHash]))
  return (hosted: HostedObject, object: OpenObject): Effect.Effect<Compared, never, Scope.Scope> => {
    const uploaded = hosted.contentHash ?? taken.get(hosted.key)
    return Effect.map(passingDigest(object, decompressionBudget(Infinity)), (digest) => ({
      pass: digest.pass,
      isAsUploaded: Effect.map(digest.taken, (found) => uploaded === undefined || found === uploaded)
    }))
  }
}
