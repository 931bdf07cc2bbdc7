import { Schema } from "effect"
import { sentenceDigest } from "./digest.ts"
import type { Sentence } from "./Requirement.ts"

const Reviewed = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))

/** What `reviewed.json` holds: of each sentence that somebody has looked at, by its id, the digest that it had. */
export const readReviewed = Schema.decodeSync(Reviewed)

/** What is to be looked at: the ids of sentences that are new or say something else now, and of those that are gone. */
export const unreviewed = (
  requirements: ReadonlyArray<Sentence>,
  reviewed: Readonly<Record<string, string>>
): ReadonlyArray<string> => [
  ...requirements.filter((one) => reviewed[one.id] !== sentenceDigest(one)).map(({ id }) => id),
  ...Object.keys(reviewed).filter((id) => !requirements.some((one) => one.id === id))
]
