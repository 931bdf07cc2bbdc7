import { Schema } from "effect"
import { Name, text } from "./Text.ts"

/**
 * The name of one of several apps of a repository, at most 100 characters. Absent unless it was sent. It is part of the identity of a
 * test and of a build: two apps have tests and builds of their own.
 */
export const AppName = text(100)

/**
 * What CI knows of a commit and of its own job. Each field is absent unless it was sent, and none is a part of an identity.
 *
 * - `commitMessage`: at most 500 characters of the message of the commit, line breaks included.
 * - `author`: the name of the person who wrote the commit.
 * - `base`: the branch that the pull request is to be merged into.
 * - `job`: the job of the CI run that sent it. A later attempt replaces runs of the same job only, see the rule `attemptsOf`.
 */
export const ciDetails = {
  commitMessage: Schema.optionalKey(text(500, { lines: true })),
  author: Schema.optionalKey(Name),
  base: Schema.optionalKey(Name),
  job: Schema.optionalKey(Name)
}
export type CiDetails = Schema.Struct.Type<typeof ciDetails>
