import { Effect, type Option } from "effect"
import { NotFound } from "../model/Problem.ts"

/** The found value, or `NotFound`. */
export const orNotFound = <A>(found: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Effect.mapError(Effect.fromOption(found), () => NotFound.answer)
