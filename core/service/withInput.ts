import { Effect, Redacted, Result, Schema } from "effect"
import { Scope, type Caller, type KeyCaller, type Reader, type RepositoryAccess } from "../model/ApiKey.ts"
import { InvalidRequest, type Issue } from "../model/Problem.ts"
import { idempotencyKeyPattern } from "../model/Idempotency.ts"
import { idPattern } from "../model/Text.ts"
import { invalidRequest, mismatchesOf, toIssue } from "../rules/invalidRequest.ts"

/** What is known to fit, so that no request is decoded twice. */
const decodedInputs = new WeakSet<object>()

/** Tells {@link checkArguments} that a schema of the API decoded this input, or that it is made of stored values. */
export const decoded = <A>(input: A): A => {
  if (typeof input === "object" && input !== null) decodedInputs.add(input)
  return input
}

/** What a value must be, where that is said in one line. Most requests have ids and a caller alone, and schemas would cost them more. */
export interface Check<A> {
  readonly is: (value: unknown) => value is A
  readonly message: string
}

/** A value that a service answered: it is checked only if it is another one. */
export const answered = <A>(schema: Schema.Codec<A, unknown>): Check<A> => {
  const is = Schema.is(schema)
  return {
    is: (value): value is A => decodedInputs.has(Object(value)) || is(value),
    message: "must be what a service answered"
  }
}

/** A list of what services answered. */
export const answeredList = <A>(one: Check<A>): Check<ReadonlyArray<A>> => ({
  is: (value): value is ReadonlyArray<A> => Array.isArray(value) && value.every((item) => one.is(item)),
  message: "must be a list of what a service answered"
})

/** A parameter of a method: its name, and what it takes. */
export type Parameter<A = unknown> = readonly [name: string, takes: (Schema.Top & { readonly Type: A }) | Check<A>]

/** Reads an argument once, so that no getter answers the check and the method differently. Adds what doesn't fit to `issues`. */
const reading = ([name, takes]: Parameter): ((value: unknown, issues: Array<Issue>) => unknown) => {
  if ("is" in takes) {
    return (value, issues) => {
      if (!takes.is(value)) issues.push({ path: name, message: takes.message })
      return value
    }
  }
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(Schema.toType(takes).ast), {
    errors: "all"
  })
  return (value, issues) => {
    if (typeof value === "object" && value !== null && decodedInputs.has(value)) return value
    const result = decode(value)
    if (Result.isSuccess(result)) return result.success
    for (const { message, path } of mismatchesOf(result.failure.issue)) {
      // Fields are named as in the API; the items of a list are those of the parameter.
      issues.push(toIssue({ message, path: typeof path[0] === "string" ? path : [name, ...path] }))
    }
    return value
  }
}

/**
 * Checks what a method is called with: TypeScript doesn't stop every caller, and what is stored is read for years. Answers the arguments, or
 * the `InvalidRequest` that names each field that doesn't fit.
 */
export const checkArguments = (parameters: ReadonlyArray<Parameter>) => {
  const readings = parameters.map((parameter) => [parameter[0], reading(parameter)] as const)
  return (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> | InvalidRequest => {
    const issues: Array<Issue> = []
    const checked = readings.map(([name, read], at) => {
      try {
        return read(args[at], issues)
      } catch {
        issues.push({ path: name, message: "could not be read: one of its properties throws" })
        return undefined
      }
    })
    return issues.length === 0 ? checked : invalidRequest(issues)
  }
}

/** A command that checks its only parameter in the same way. */
export const withParams = <Params, A, E, R>(
  command: (params: Params) => Effect.Effect<A, E, R>,
  schema: Schema.Top
): ((params: Params) => Effect.Effect<A, E | InvalidRequest, R>) => {
  const check = checkArguments([["params", schema]])
  return (params) => {
    const checked = check([params])
    return checked instanceof InvalidRequest ? Effect.fail(checked) : command(checked[0] as Params)
  }
}

/** A function. */
export const isFunction = (value: unknown) => typeof value === "function"
/** A text of any form. */
export const isText = (value: unknown): value is string => typeof value === "string"
/** A text that isn't shown. */
export const isSecret = (value: unknown): value is Redacted.Redacted =>
  Redacted.isRedacted(value) && isText(Redacted.value(value))
/** Scopes of a key. */
export const areScopes = (value: unknown): value is ReadonlyArray<Scope> =>
  Array.isArray(value) && value.every((scope) => Scope.literals.some((one) => one === scope))
/** A text that has the form of an id. */
export const isId = (value: unknown): value is string => isText(value) && idPattern.test(value)

/** The key of a request that can be repeated, if it has one. */
export const isIdempotencyKey = (value: unknown): value is string | undefined =>
  value === undefined || (isText(value) && idempotencyKeyPattern.test(value))

/** Who may read: an account, and what of it is seen. */
export const isReader = (value: unknown): value is Reader => {
  const { id, repositories } = Object(Object(value).account)
  if (repositories === undefined) return isId(id)
  return isId(id) && isFunction(Object(repositories).sees) && isFunction(Object(repositories).mayChange)
}
/** An account with its name. */
export const isOwner = (value: unknown): value is Pick<Caller, "account"> =>
  isReader(value) && isText(Object(value.account).name)
/** Who calls, with scopes. */
export const isCaller = (value: unknown): value is Caller => {
  const { keyId, scopes } = Object(value)
  return isOwner(value) && Array.isArray(scopes) && scopes.every(isText) && (keyId === undefined || isId(keyId))
}
/** Who has a key. */
export const hasKey = (value: unknown): value is Pick<KeyCaller, "keyId"> => isId(Object(value).keyId)
/** Who signs in with a key. */
export const holdsSession = (value: unknown): value is Pick<KeyCaller, "account" | "keyId"> =>
  isOwner(value) && hasKey(value)

/** Who calls. It is used as it is, because it can have functions. */
export const callerWhere = <A>(is: Check<A>["is"]) =>
  ["caller", { is, message: "must be a caller, as Authorization answers it" }] as const

type Run = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

/** How a method is called for a reader that sees only some repositories. `args` are those behind the reader. */
export type Gate = (
  access: RepositoryAccess,
  reader: Reader,
  call: (reader: Reader) => ReturnType<Run>,
  args: ReadonlyArray<never>
) => ReturnType<Run>

/** A method of a service as it is called from outside: what it is called with is checked, then what its caller may see and change. */
export const checkedCall =
  (
    run: Run,
    check: ReturnType<typeof checkArguments>,
    gate: Gate | undefined,
    fail: (problem: InvalidRequest) => unknown
  ) =>
  (...given: ReadonlyArray<unknown>) => {
    const args = check(given)
    if (args instanceof InvalidRequest) return fail(args)
    const access = gate && (Object(Object(args[0]).account) as Partial<Reader["account"]>).repositories
    if (gate === undefined || access === undefined) return run(...args)
    const rest = args.slice(1)
    return gate(access, args[0] as Reader, (reader) => run(reader, ...rest), rest as never)
  }
