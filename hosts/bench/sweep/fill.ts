/** Fills the data folder of a host that has stopped with what a sweep takes. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathsIn } from "../../../adapters/embedded/paths.ts"
import { fileOf } from "../../../adapters/filesystem/layout.ts"
import { headerOf } from "../../../adapters/filesystem/objectFile.ts"
import { ObjectKey } from "../../../core/model/ObjectKey.ts"

const aDay = 86_400_000
const content = Buffer.alloc(4096, "slipway ")

/** An id of version 7 that was made two days ago. */
const idOf = (nth: number): string => {
  const time = (Date.now() - 2 * aDay).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${nth.toString(16).padStart(12, "0")}`
}

const store = (data: string, key: string): void => {
  const file = fileOf(pathsIn(data).objects, ObjectKey.make(key))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, Buffer.concat([headerOf({ contentType: "text/plain", sizeBytes: content.byteLength }), content]))
}

/** How much there is of what a sweep takes. */
export interface Amounts {
  readonly rows: number
  readonly objects: number
}

/**
 * Of the rows, as many as there are objects are previews that were never finalized, with an object each but for a tenth of the
 * objects, which lie beside what a build hosts. The others are answers, sessions and used tokens that are over.
 */
export const fillFolder = (data: string, { objects, rows }: Amounts): void => {
  const db = new DatabaseSync(pathsIn(data).metadata)
  const columns = db
    .prepare("SELECT name FROM pragma_table_info('previews')")
    .all()
    .map(({ name }) => String(name))
  const own: Readonly<Record<string, string>> = {
    id: "?",
    token_hash: "'t' || n",
    share_id: "'s' || n",
    reserved_at: "?",
    expires_at: "?",
    finalized_at: "NULL",
    hosted_prefix: "NULL"
  }
  const end = Date.now() - 2 * aDay
  const numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
  const light = Math.floor((rows - objects) / 3)
  db.exec("BEGIN")
  db.exec(`UPDATE build_reservations SET finalized_at = ${end} WHERE finalized_at IS NOT NULL`)
  const [reservation] = db.prepare("SELECT id FROM build_reservations WHERE finalized_at IS NOT NULL LIMIT 1").all()
  const preview = db.prepare(
    `WITH one (n) AS (VALUES (?))
    INSERT INTO previews (${columns.join(", ")})
    SELECT ${columns.map((name) => own[name] ?? `p.${name}`).join(", ")} FROM one, (SELECT * FROM previews LIMIT 1) p`
  )
  for (let nth = 1; nth <= objects; nth += 1) {
    const id = idOf(nth)
    preview.run(nth, ...columns.flatMap((name) => (own[name] === "?" ? [name === "id" ? id : end] : [])))
    const isBeside = nth % 10 === 0
    store(data, isBeside ? `hosted/${String(reservation?.["id"])}/another/files/${nth}` : `uploads/${id}/bundle`)
  }
  db.prepare(
    `INSERT INTO idempotent_answers ${numbers} SELECT (SELECT id FROM accounts LIMIT 1), 'h' || n, 'r', 'sealed', ? FROM numbers`
  ).run(light, end)
  db.prepare(
    `INSERT INTO sessions ${numbers} SELECT 'w' || n, (SELECT id FROM api_keys LIMIT 1), 'h' || n, ?, ?, NULL, NULL FROM numbers`
  ).run(light, end, end)
  db.prepare(`INSERT INTO used_tokens ${numbers} SELECT 'u' || n, ? FROM numbers`).run(light, end)
  db.exec("COMMIT")
  db.close()
}

/** How much is left of it. */
export const leftIn = (data: string): Readonly<Record<string, number>> => {
  const db = new DatabaseSync(pathsIn(data).metadata, { readOnly: true })
  const count = (table: string, where = "true") =>
    Number(db.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${where}`).get()?.["count"])
  const left = {
    rows: ["idempotent_answers", "sessions", "used_tokens"].reduce((sum, table) => sum + count(table), 0),
    uploads: count("previews", "finalized_at IS NULL"),
    removals: count("removals", "due_at = since"),
    jobs: 2 - count("sweep_turns", "done_at IS NOT NULL")
  }
  db.close()
  return left
}
