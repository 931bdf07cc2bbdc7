/** What all commits share. Each commit is one statement whose first part is named `stored`. */
import { DateTime, Effect, Predicate } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { Conflict } from "../../core/ports/Conflict.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import { orWriteFailure } from "./failures.ts"

/**
 * The part of a commit that keeps `once`, when `stored` has a row. It replaces an expired answer. An answer that hasn't
 * expired gets null as its `expires_at`, which a check constraint refuses, so the whole statement is undone.
 */
export const keeping = (sql: SqlClient.SqlClient, once: Once | undefined): Statement.Fragment => {
  if (once === undefined) return sql.literal("")
  const { accountId, expiresAt, keyHash, requestHash, sealedAnswer } = once.answer
  return sql`
    , kept AS (
      INSERT INTO idempotency_keys (account_id, key_hash, request_hash, sealed_answer, expires_at)
      SELECT ${accountId}, ${keyHash}, ${requestHash}, ${sealedAnswer}, ${DateTime.toDateUtc(expiresAt)} FROM stored
      ON CONFLICT (account_id, key_hash) DO UPDATE SET
        request_hash = EXCLUDED.request_hash, sealed_answer = EXCLUDED.sealed_answer,
        expires_at = CASE
          WHEN idempotency_keys.expires_at <= ${DateTime.toDateUtc(once.now)} THEN EXCLUDED.expires_at
        END
    )
  `
}

/** The checks that undo a statement because of what others have stored since it was decided. */
const checks: ReadonlyArray<unknown> = ["hosted_objects_once", "idempotency_keys_once", "test_histories_current"]

const isStoredAlready = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "ConstraintError" &&
  Predicate.hasProperty(reason.cause, "constraint") &&
  checks.includes(reason.cause.constraint)

/** Runs a commit. It returns a row when it was made, and none when the state has changed since it was read. */
export const committed = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  statement.pipe(
    Effect.filterOrFail(
      (rows) => rows.length > 0,
      () => new Conflict()
    ),
    Effect.catchIf(
      (error) => error._tag === "SqlError" && isStoredAlready(error),
      () => Effect.fail(new Conflict())
    ),
    Effect.asVoid,
    orWriteFailure
  )
