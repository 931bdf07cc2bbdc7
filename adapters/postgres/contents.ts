import type { SqlClient, Statement } from "effect/sql"

/** Rows of a JSON array of contents, as `Engine` has them. */
export const contentsIn =
  (sql: SqlClient.SqlClient) =>
  (json: string): Statement.Fragment =>
    sql`(
    SELECT "accountId" AS account_id, "contentHash" AS content_hash, "sizeBytes" AS size_bytes, "objectKey" AS object_key
    FROM jsonb_to_recordset(${json}::jsonb)
      AS given ("accountId" text, "contentHash" text, "sizeBytes" double precision, "objectKey" text)
  ) asked`
