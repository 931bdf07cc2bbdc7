import { Schema } from "effect"
import { IdempotencyKey } from "../../model/Idempotency.ts"

/** The header of requests that may be sent again without being carried out again. */
export const idempotencyHeader = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }
