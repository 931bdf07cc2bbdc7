import { Effect, type Option } from "effect"
import { NotFound } from "../model/Problem.ts"

/** The found value, or `NotFound`. */
export const orNotFound = <A>(found: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Effect.mapError(Effect.fromOption(found), () => NotFound.answer)

/**
 * The linked repository, or `NotFound` with the check to make. The text has only what the request has, so it is the same for the
 * repository of another account and for one that nobody linked.
 */
export const orNotLinked = <A>(
  found: Option.Option<A>,
  { owner, repo }: { readonly owner: string; readonly repo: string }
): Effect.Effect<A, NotFound> =>
  Effect.mapError(
    Effect.fromOption(found),
    () =>
      new NotFound({
        detail: `Is ${owner}/${repo} linked to this account? Check the name, or ask the operator: slipway repo link`
      })
  )
