import { Effect } from "effect"
import { Statement } from "effect/sql"

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
