/** Reads the cause from an error of the client: the server's or the system's code. */
import { Predicate } from "effect"
import type { SqlError } from "effect/sql"

/** The server's error code, if the server reported the error. */
export const sqlState = ({ reason }: SqlError.SqlError): string | undefined =>
  Predicate.hasProperty(reason.cause, "code") && Predicate.isString(reason.cause.code) ? reason.cause.code : undefined

const messageOf = (cause: unknown): string => {
  // Node's error for a name with several addresses, all of which were tried.
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join("; ")
  return cause instanceof Error ? cause.message : String(cause)
}

/** Says what went wrong in one line without a password. */
export const sqlErrorMessage = ({ reason }: SqlError.SqlError): string => messageOf(reason.cause)
