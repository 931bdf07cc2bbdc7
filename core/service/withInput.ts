import { Effect, Result, Schema } from "effect"
import type { InvalidRequest, Issue } from "../model/Problem.ts"
import { IdempotencyKey } from "../model/Idempotency.ts"
import { invalidRequest, mismatchesOf, toIssue } from "../rules/invalidRequest.ts"

/** What is known to fit, so that no request is decoded twice. */
const decodedInputs = new WeakSet<object>()

/** Tells {@link withInput} that a schema of the API decoded this input, or that it is made of stored values. */
export const decoded = <A>(input: A): A => {
  if (typeof input === "object" && input !== null) decodedInputs.add(input)
  return input
}

/** The key of a request that can be repeated. */
export const idempotencyKeyInput = { idempotencyKey: Schema.UndefinedOr(IdempotencyKey) }

/** What of a value a schema refuses, below the names of `prefix`. */
const issuesBy = (schema: Schema.Top) => {
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(Schema.toType(schema).ast), {
    errors: "all"
  })
  return (value: unknown, prefix: ReadonlyArray<string> = []): ReadonlyArray<Issue> => {
    const result = decode(value)
    if (Result.isSuccess(result)) return []
    return mismatchesOf(result.failure.issue).map(({ message, path }) =>
      toIssue({ message, path: [...prefix, ...path] })
    )
  }
}

/**
 * A method of a service that checks what it is called with: TypeScript doesn't stop every caller, and what is stored is read for
 * years. `further` has the schemas of the parameters behind `schema`, by name. `InvalidRequest` names each field that doesn't fit.
 */
export const withInput = <Owner, Input, Rest extends ReadonlyArray<unknown>, A, E, R>(
  method: (owner: Owner, input: Input, ...rest: Rest) => Effect.Effect<A, E, R>,
  schema: Schema.Codec<Input, unknown>,
  further: Readonly<Record<string, Schema.Top>> = {}
): ((owner: Owner, input: Input, ...rest: Rest) => Effect.Effect<A, E | InvalidRequest, R>) => {
  const issuesOf = issuesBy(schema)
  const others = Object.entries(further).map(([name, schema]) => [name, issuesBy(schema)] as const)
  return (owner, input, ...rest) => {
    const isDecoded = typeof input === "object" && input !== null && decodedInputs.has(input)
    const inputIssues = isDecoded ? [] : issuesOf(input)
    const issues = [...inputIssues, ...others.flatMap(([name, issuesOf], at) => issuesOf(rest[at], [name]))]
    return issues.length === 0 ? method(owner, input, ...rest) : Effect.fail(invalidRequest(issues))
  }
}

/** A command that checks its only parameter in the same way. */
export const withParams = <Params, A, E, R>(
  command: (params: Params) => Effect.Effect<A, E, R>,
  schema: Schema.Top
): ((params: Params) => Effect.Effect<A, E | InvalidRequest, R>) => {
  const checked = withInput(
    (_: undefined, params: Params) => command(params),
    Schema.make<Schema.Codec<Params, unknown>>(schema.ast)
  )
  return (params) => checked(undefined, params)
}
