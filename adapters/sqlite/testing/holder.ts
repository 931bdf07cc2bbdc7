/**
 * A process that opens the database file of the first argument, stores an account with the name of the second, reports
 * it, and holds the file until it is killed. The third argument is SQL that it runs first. With a fourth, it acquires the lease
 * of the job of that name before it stores the account. Without a name for the account, it only acquires the lease.
 */
import { Console, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AccountId } from "../../../core/model/Account.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { SweepStore } from "../../../core/ports/SweepStore.ts"
import { layer as layerMetadata, layerClient, layerMigrations } from "../index.ts"

const [file = "", name = "", pragma = "SELECT 1", job = ""] = process.argv.slice(2)

const hold = Effect.gen(function* () {
  yield* (yield* SqlClient.SqlClient).unsafe(pragma)
  const now = yield* DateTime.now
  if (job !== "") {
    const sweeps = yield* SweepStore
    yield* sweeps.acquireLease({ job, holder: "holder", now, until: now, latest: now })
  }
  if (name !== "") {
    const store = yield* AccountStore
    yield* store.insert({ id: AccountId.make(crypto.randomUUID()), name, createdAt: now })
  }
  yield* Console.log("stored")
  return yield* Effect.never
})

const layer = layerMetadata.pipe(Layer.provide(layerMigrations), Layer.provideMerge(layerClient({ file })))

// A timer keeps the process alive, as a server's socket would.
setInterval(() => {}, 60_000)
void Effect.runPromise(Effect.provide(hold, layer)).catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
