import { Effect, Layer } from "effect"
import { Statement } from "effect/sql"
import { FailingEngine } from "../../kit/parts/interruption.ts"

/** Makes a statement of a commit fail: another is sent in its place that no engine can run. */
export const layerFailingStatement = Layer.succeed(FailingEngine, (nth, commit) =>
  Effect.suspend(() => {
    let sent = 0
    const transformer: Statement.Transformer = (statement, sql) =>
      Effect.sync(() => (sent++ === nth ? sql`SELECT * FROM no_such_table` : statement))
    return Effect.map(
      Effect.exit(Effect.provideService(commit, Statement.CurrentTransformer, transformer)),
      () => sent > nth
    )
  })
)
