import { Effect } from "effect"
import type { AccountName, Credential, KeyName } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { Skipped } from "./Check.ts"

/** A key of an account: the one with every scope, unless another is named. */
export const keyOf = (account: AccountName, key: KeyName = "all"): Credential => ({ account, key })

/** The account that creates the resources. */
export const a = keyOf("a")

/** The other account. */
export const b = keyOf("b")

/** Repositories that aren't linked to account a: the one that the config names, and one of the same owner as a linked one. */
export const unlinkedRepositories = Effect.gen(function* () {
  const { linked, unlinked } = (yield* Session).config.accounts.a
  return unlinked.owner === linked.owner ? [unlinked] : [unlinked, { owner: linked.owner, repo: unlinked.repo }]
})

/** Repositories beside the linked one of account a, each with the account that it is linked to: b's, and a's second if it has one. */
export const otherRepositories = Effect.gen(function* () {
  yield* needsTwoRepositories
  const { a, b } = (yield* Session).config.accounts
  const own = a.second === undefined ? [] : [{ account: "a" as const, repository: a.second }]
  return [{ account: "b" as const, repository: b.linked }, ...own]
})

/** Skips the check when both accounts have the same repository linked: then nothing tells their builds and runs apart. */
export const needsTwoRepositories = Effect.gen(function* () {
  const { a, b } = (yield* Session).config.accounts
  if (a.linked.owner === b.linked.owner && a.linked.repo === b.linked.repo) {
    return yield* new Skipped({ reason: "Both accounts have the same repository linked: give the second another one." })
  }
})
