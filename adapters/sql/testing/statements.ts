import { assert } from "@effect/vitest"
import { Effect, Layer, type Context } from "effect"
import { Statement } from "effect/sql"
import { FailingEngine } from "../../kit/parts/commits.ts"

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
