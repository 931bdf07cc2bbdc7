/** Common parts of commits. Each commit is one transaction. */
import { DateTime, Effect } from "effect"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import type { Engine } from "../sql/Engine.ts"
import { orConflict } from "../sql/orConflict.ts"

/** Stores `once` and replaces an expired answer; fails with `Conflict` if an answer hasn't expired. */
export const keep = ({ sql }: Engine, once: Once | undefined) => {
  if (once === undefined) return Effect.void
  const { accountId, expiresAt, keyHash, requestHash, sealedAnswer } = once.answer
  return orConflict(sql`
    INSERT INTO idempotency_keys (account_id, key_hash, request_hash, sealed_answer, expires_at)
    VALUES (${accountId}, ${keyHash}, ${requestHash}, ${sealedAnswer}, ${DateTime.toDateUtc(expiresAt)})
    ON CONFLICT (account_id, key_hash) DO UPDATE SET
      request_hash = excluded.request_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
    WHERE expires_at <= ${DateTime.toDateUtc(once.now)}
    RETURNING key_hash
  `)
}
