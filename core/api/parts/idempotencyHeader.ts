import { Schema } from "effect"
import { IdempotencyKey } from "../../model/Idempotency.ts"

/** The header of requests that can be repeated without being executed twice. */
export const idempotencyHeader = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }
