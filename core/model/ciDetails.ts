import { Schema } from "effect"
import { message, Name } from "./Text.ts"

/**
 * What CI knows of a commit and of its own job. Each field is absent unless it was sent, and none is a part of an identity.
 *
 * - `commitMessage`: at most 500 characters of the message of the commit, line breaks included.
 * - `author`: the name of the person who wrote the commit.
 * - `base`: the branch that the pull request is to be merged into.
 * - `job`: the job of the CI run that sent it.
 */
export const ciDetails = {
  commitMessage: Schema.optionalKey(message(500)),
  author: Schema.optionalKey(Name),
  base: Schema.optionalKey(Name),
  job: Schema.optionalKey(Name)
}
export type CiDetails = Schema.Struct.Type<typeof ciDetails>
