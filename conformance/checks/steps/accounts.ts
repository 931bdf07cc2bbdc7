import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { Skipped } from "./Check.ts"

/** Goes on when the two accounts have different repositories linked; what tells them apart can't be seen otherwise. */
export const needsTwoRepositories = Effect.gen(function* () {
  const { a, b } = (yield* Session).config.accounts
  if (a.linked.owner === b.linked.owner && a.linked.repo === b.linked.repo) {
    return yield* new Skipped({ reason: "Both accounts have the same repository linked: give the second another one." })
  }
})
