import { assert } from "@effect/vitest"
import { Effect, Layer, type Context } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { descriptions } from "../../../core/model/MetadataRecord.ts"
import { FailingEngine } from "../../kit/parts/commits.ts"
import { Damage } from "../../kit/parts/suite.ts"

/** Fails when there is no call of a method of one of the ports that a layer has built. */
export const assertEveryMethod = (ports: Context.Context<never>, calls: Readonly<Record<string, unknown>>): void => {
  const called = new Set(Object.keys(calls).map((name) => name.split(",")[0]))
  for (const [key, port] of ports.mapUnsafe) {
    if (!key.startsWith("slipway/core/ports/")) continue
    for (const method of Object.keys(port)) {
      const name = `${key.slice("slipway/core/ports/".length)}.${method}`
      assert.isTrue(called.has(name), `no call of ${name}`)
    }
  }
}

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

/** The column by which a record is found and the one that is damaged, of the kinds that have a column for it: JSON, or else a time. */
const damaged: Readonly<Record<string, readonly [found: string, damaged: string, time?: "time"]>> = {
  account: ["id", "created_at", "time"],
  auditEntry: ["id", "actor"],
  build: ["id", "created_at", "time"],
  ciRun: ["ci_run", "imports"],
  event: ["event_id", "event"],
  key: ["id", "created_at", "time"],
  preview: ["id", "declaration"],
  quarantine: ["test_id", "created_at", "time"],
  removal: ["id", "since", "time"],
  repository: ["id", "linked_at", "time"],
  reservation: ["id", "declaration"],
  run: ["id", "device"],
  session: ["id", "created_at", "time"],
  shareLink: ["id", "created_at", "time"],
  testHistory: ["test_id", "summary"],
  trust: ["issuer", "created_at", "time"],
  webhook: ["id", "created_at", "time"]
}

/** Damages a column of a record: JSON of another shape, or a time that no `Date` holds. */
export const layerDamage = Layer.effect(
  Damage,
  Effect.map(SqlClient.SqlClient, (sql) => (kind, id) => {
    const column = damaged[kind]
    if (column === undefined) return Effect.succeed(false)
    const [found, set, time] = column
    const far = sql.onDialectOrElse({ sqlite: () => "9007199254740991", orElse: () => "'infinity'" })
    return sql`
      UPDATE ${sql(descriptions[kind as keyof typeof descriptions].table)}
      SET ${sql(set)} = ${sql.literal(time === undefined ? "'5'" : far)} WHERE ${sql(found)} = ${id} RETURNING 1 AS one
    `.pipe(
      Effect.filterOrFail(
        (rows) => rows.length > 0,
        () => new Error(`there is no ${kind} ${id} to damage`)
      ),
      Effect.as(true),
      Effect.orDie
    )
  })
)

export interface Recorded {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
}

/** Runs an effect and answers its statements in order, without `BEGIN` and the like. */
export const recording = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const statements: Array<Recorded> = []
    const record: Statement.Transformer = (statement) =>
      Effect.sync(() => {
        const [sql, params] = statement.compile()
        statements.push({ sql, params })
        return statement
      })
    return effect.pipe(
      Effect.provideService(Statement.CurrentTransformer, record),
      Effect.map((answer) => ({ answer, statements }))
    )
  })
