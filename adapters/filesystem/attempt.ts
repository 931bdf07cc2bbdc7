import { Data, Effect, Predicate } from "effect"
import { Unavailable } from "../../core/model/Problem.ts"

/** The system refused a call on a file; `code` is its own name for why, such as `ENOENT`. */
export class FileError extends Data.TaggedError("FileError")<{ readonly code: string; readonly cause: unknown }> {}

const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "syscall") && Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)
    ? cause.code
    : undefined

/** A call on files. What the system refuses is a `FileError`, anything else a defect. */
export const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.catch(Effect.tryPromise({ try: call, catch: (cause) => ({ cause }) }), ({ cause }) => {
    const code = codeOf(cause)
    return code === undefined ? Effect.die(cause) : Effect.fail(new FileError({ code, cause }))
  })

/** Logs what the system refused; to the caller, the store can't be reached just now. */
export const unavailable = (error: FileError): Effect.Effect<never, Unavailable> =>
  Effect.andThen(Effect.logError("The file system refused", error.cause), Effect.fail(Unavailable.answer))

/** {@link attempt} where every refusal means that the store can't be reached just now. */
export const attemptOrUnavailable = <A>(call: () => Promise<A>): Effect.Effect<A, Unavailable> =>
  Effect.catchTag(attempt(call), "FileError", unavailable)

/** Whether the system found nothing of that name. A file in place of a folder on the way says the same. */
export const isMissing = (error: FileError): boolean => error.code === "ENOENT" || error.code === "ENOTDIR"
