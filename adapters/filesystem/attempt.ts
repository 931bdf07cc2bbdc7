import { Data, Effect, Predicate } from "effect"

/** The system refused a file operation; `code` is its error code, such as `ENOENT`. */
export class FileError extends Data.TaggedError("FileError")<{ readonly code: string; readonly cause: unknown }> {}

const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "syscall") && Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)
    ? cause.code
    : undefined

/** Runs a file operation. A refusal of the system becomes a `FileError`, any other error a defect. */
export const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.catch(Effect.tryPromise({ try: call, catch: (cause) => ({ cause }) }), ({ cause }) => {
    const code = codeOf(cause)
    return code === undefined ? Effect.die(cause) : Effect.fail(new FileError({ code, cause }))
  })

/** Whether no file has that name, or a folder on the way is a file. */
export const isMissing = (error: FileError): boolean => error.code === "ENOENT" || error.code === "ENOTDIR"

/** Whether the disk or the user's quota has no room. */
export const isFull = (error: FileError): boolean => error.code === "ENOSPC" || error.code === "EDQUOT"
