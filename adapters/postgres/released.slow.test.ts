import { Effect, Layer, Redacted } from "effect"
import { join } from "node:path"
import { releasedSuite } from "../sql/testing/released.ts"
import { layer, layerClient, steps } from "./index.ts"
import { migrate } from "./migrate.ts"
import { newDatabase } from "./testing/server.ts"

releasedSuite({
  folder: join(import.meta.dirname, "released"),
  database: Layer.unwrap(Effect.map(newDatabase, (url) => layerClient({ url: Redacted.make(url) }))),
  ports: layer,
  steps,
  migrate,
  expands: [
    "ALTER TABLE builds ADD COLUMN note text",
    "ALTER TABLE test_runs ADD COLUMN note text NOT NULL DEFAULT ''",
    'CREATE TABLE notes (id text PRIMARY KEY, build_id text COLLATE "C" NOT NULL REFERENCES builds (id))',
    "CREATE INDEX previews_by_end ON previews (expires_at)"
  ],
  contracts: [
    "ALTER TABLE builds DROP COLUMN ready_by",
    "ALTER TABLE previews RENAME COLUMN share_id TO share",
    "ALTER TABLE builds ALTER COLUMN version TYPE bigint",
    "ALTER TABLE test_runs ADD COLUMN note text NOT NULL",
    "ALTER TABLE repositories ADD CHECK (repo <> 'Repo')",
    "ALTER TABLE idempotent_answers DROP CONSTRAINT idempotent_answers_once",
    "ALTER TABLE repositories DROP CONSTRAINT repositories_key",
    "DROP TABLE billed_test_runs"
  ]
})
