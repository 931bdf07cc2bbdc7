/** Which columns hold what a row counts in its account's usage; triggers of each engine add them up. */
import type { SqlClient, Statement } from "effect/sql"
import { countedOf } from "../../core/rules/quotas.ts"

type Upload = Parameters<typeof countedOf>[0]

/** The tables of uploads. Their columns `declared_bytes`, `stored_bytes` and `uploaded_bytes` hold what `countedOf` says. */
export const uploadTables = ["build_reservations", "previews"] as const

/** The column that a row counts in the bytes that its account stores, until the row is deleted; nothing while it is null. */
export const storedAmounts = [
  { table: "build_reservations", column: "stored_bytes" },
  { table: "previews", column: "stored_bytes" },
  { table: "test_runs", column: "metadata_bytes" },
  { table: "hosted_objects", column: "size_bytes" }
] as const

/** The values of `declared_bytes, stored_bytes, uploaded_bytes` of an upload that is inserted. */
export const countedValues = (sql: SqlClient.SqlClient, upload: Upload): Statement.Fragment => {
  const { declaredBytes, storedBytes, uploadedBytes } = countedOf(upload)
  const amount = (bytes: number) => sql`CAST(${bytes} AS double precision)`
  return sql`${amount(declaredBytes)}, ${amount(storedBytes)}, ${amount(uploadedBytes)}`
}

/** The assignments of what an upload counts once it is finalized. */
export const countedAtFinalize = (sql: SqlClient.SqlClient, upload: Upload): Statement.Fragment => {
  const { storedBytes, uploadedBytes } = countedOf(upload)
  return sql`stored_bytes = ${storedBytes}, uploaded_bytes = ${uploadedBytes}`
}
