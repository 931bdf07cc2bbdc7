import { Data, Effect, Predicate } from "effect"

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

/** Whether the system found nothing of that name. A file in place of a folder on the way says the same. */
export const isMissing = (error: FileError): boolean => error.code === "ENOENT" || error.code === "ENOTDIR"

/** Whether there is no room: on the disk, or within the quota of the user. */
export const isFull = (error: FileError): boolean => error.code === "ENOSPC" || error.code === "EDQUOT"
