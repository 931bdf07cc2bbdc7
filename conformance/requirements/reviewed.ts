import { Schema } from "effect"
import { sentenceDigest } from "./digest.ts"
import type { Sentence } from "./Requirement.ts"

const Reviewed = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

/** The content of `reviewed.json`: the digest of each reviewed sentence, by its id. */
export const readReviewed = Schema.decodeSync(Reviewed)

/** The ids of the sentences to review: new, changed or removed. */
export const unreviewed = (
  requirements: ReadonlyArray<Sentence>,
  reviewed: Readonly<Record<string, string>>
): ReadonlyArray<string> => [
  ...requirements.filter((one) => reviewed[one.id] !== sentenceDigest(one)).map(({ id }) => id),
  ...Object.keys(reviewed).filter((id) => !requirements.some((one) => one.id === id))
]
