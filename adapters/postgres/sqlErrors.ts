/** What an error of the client tells of its cause: the server's word, or the system's. */
import { Predicate } from "effect"
import type { SqlError } from "effect/sql"

/** The code by which the server says what went wrong, if it was the server that said so. */
export const sqlState = ({ reason }: SqlError.SqlError): string | undefined =>
  Predicate.hasProperty(reason.cause, "code") && Predicate.isString(reason.cause.code) ? reason.cause.code : undefined

const messageOf = (cause: unknown): string => {
  // What Node says of a name with several addresses, each of which was tried.
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join("; ")
  return cause instanceof Error ? cause.message : String(cause)
}

/** What went wrong, in a line. No password is in it. */
export const sqlErrorMessage = ({ reason }: SqlError.SqlError): string => messageOf(reason.cause)
