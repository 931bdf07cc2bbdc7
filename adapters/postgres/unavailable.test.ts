import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { makeAccount, makeRepository } from "../kit/samples.ts"
import { layer as layerPglite } from "../pglite/index.ts"
import { layer } from "./index.ts"
import { orUnavailable } from "./unavailable.ts"

const sqlError = (code: string) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: Object.assign(new Error(), { code }) }) })

/** A client of a port where nobody listens. It connects only when it is asked something. */
const layerNowhere = PgClient.layer({ host: "127.0.0.1", port: 1, username: "nobody", ssl: false })

describe("a database that can't be reached", () => {
  it.effect("makes a port answer Unavailable, in a statement and in a transaction", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const repositories = yield* RepositoryStore
      const account = makeAccount()
      assert.strictEqual(yield* Effect.flip(accounts.list), Unavailable.answer)
      assert.strictEqual(yield* Effect.flip(accounts.insert(account)), Unavailable.answer)
      assert.strictEqual(yield* Effect.flip(repositories.link(makeRepository(account))), Unavailable.answer)
    }).pipe(Effect.provide(layer.pipe(Layer.provide(layerNowhere))))
  )
})

describe("a failure of a statement", () => {
  it.effect("for want of connections, in a shutdown or on a read-only server is Unavailable", () =>
    Effect.gen(function* () {
      for (const code of ["53300", "57P01", "57P03", "25006"]) {
        assert.strictEqual(yield* Effect.flip(orUnavailable(Effect.fail(sqlError(code)))), Unavailable.answer)
      }
    })
  )

  it.effect("for any other reason is a defect that keeps its cause", () =>
    Effect.gen(function* () {
      const error = sqlError("22P02")
      const exit = yield* Effect.exit(orUnavailable(Effect.fail(error)))
      assert.strictEqual(Exit.isFailure(exit) && Cause.squash(exit.cause), error)
    })
  )

  it.effect("on a database without tables is a defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit((yield* AccountStore).list)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }).pipe(Effect.provide(layer.pipe(Layer.provide(layerPglite()))))
  )

  it.effect("that undid it because of others is not seen: it is run again", () =>
    Effect.gen(function* () {
      let runs = 0
      const statement = Effect.suspend(() => (++runs < 3 ? Effect.fail(contention) : Effect.succeed(runs)))
      assert.strictEqual(yield* orUnavailable(statement), 3)
    })
  )

  it.effect("leaves what a port means to answer alone", () =>
    Effect.gen(function* () {
      assert.instanceOf(yield* Effect.flip(orUnavailable(Effect.fail(new NameTaken()))), NameTaken)
    })
  )
})

const contention = new SqlError.SqlError({ reason: new SqlError.SerializationError({ cause: new Error() }) })
