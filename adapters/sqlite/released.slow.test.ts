import { Effect, Layer } from "effect"
import { join } from "node:path"
import { releasedSuite } from "../sql/testing/released.ts"
import { layer, layerClient, steps } from "./index.ts"
import { migrate } from "./migrate.ts"
import { newFile } from "./testing/newFile.ts"

releasedSuite({
  folder: join(import.meta.dirname, "released"),
  database: Layer.unwrap(Effect.map(newFile, (file) => layerClient({ file }))),
  ports: layer,
  steps,
  migrate,
  expands: [
    "ALTER TABLE builds ADD COLUMN note TEXT",
    "ALTER TABLE test_runs ADD COLUMN note TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE notes (id TEXT PRIMARY KEY, build_id TEXT NOT NULL REFERENCES builds (id)) STRICT",
    "CREATE INDEX previews_by_end ON previews (expires_at)"
  ],
  contracts: [
    "ALTER TABLE previews RENAME COLUMN share_id TO share",
    "ALTER TABLE test_runs RENAME TO runs",
    "CREATE TRIGGER no_repo BEFORE INSERT ON repositories BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE UNIQUE INDEX one_build ON builds (repository_id, branch)",
    "DROP TABLE billed_test_runs"
  ]
})
