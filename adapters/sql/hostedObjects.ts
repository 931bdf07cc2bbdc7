import { Effect } from "effect"
import type { Statement } from "effect/sql"
import type { HostedObject } from "../../core/model/HostedObject.ts"
import { byCodeUnit } from "./byCodeUnit.ts"
import type { Engine } from "./Engine.ts"

/**
 * The statement that keeps hosted objects, each in the place of an earlier one of the same content. `when` follows its `FROM`
 * clause. They are written in one order everywhere, so that two commits never wait for each other.
 */
const insertion = (
  { contents, sql }: Pick<Engine, "contents" | "sql">,
  hosted: ReadonlyArray<HostedObject>,
  when: Statement.Fragment
) => {
  const sorted = hosted.toSorted((a, b) => byCodeUnit(a.contentHash, b.contentHash) || a.sizeBytes - b.sizeBytes)
  return sql`
    INSERT INTO hosted_objects (account_id, content_hash, size_bytes, object_key)
    SELECT asked.account_id, asked.content_hash, asked.size_bytes, asked.object_key
    FROM ${contents(JSON.stringify(sorted))} ${when}
    ON CONFLICT (account_id, content_hash, size_bytes) DO UPDATE SET object_key = excluded.object_key
  `
}

/** Keeps hosted objects, if there are any, in the transaction that is under way. */
export const keepHosted = (engine: Pick<Engine, "contents" | "sql">, hosted: ReadonlyArray<HostedObject> = []) =>
  // Without a condition, SQLite would take ON CONFLICT for that of a join.
  hosted.length === 0 ? Effect.void : Effect.asVoid(insertion(engine, hosted, engine.sql`WHERE true`))

/** A further part of a statement that begins `WITH stored AS (…)`: keeps hosted objects when `stored` has a row. */
export const keepingHosted = (
  engine: Pick<Engine, "contents" | "sql">,
  hosted: ReadonlyArray<HostedObject> = []
): Statement.Fragment =>
  hosted.length === 0
    ? engine.sql.literal("")
    : engine.sql`, held AS (${insertion(engine, hosted, engine.sql`WHERE EXISTS (SELECT 1 FROM stored)`)})`
