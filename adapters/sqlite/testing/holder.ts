/**
 * A process for `file.test.ts` to kill: it opens the database file named first, stores an account of the name given next,
 * says so, and holds the file until it is killed.
 */
import { Console, DateTime, Effect, Layer } from "effect"
import { AccountId } from "../../../core/model/Account.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { layer as layerMetadata, layerClient, layerMigrations } from "../index.ts"

const [file = "", name = ""] = process.argv.slice(2)

const hold = Effect.gen(function* () {
  const store = yield* AccountStore
  yield* store.insert({ id: AccountId.make(crypto.randomUUID()), name, createdAt: yield* DateTime.now })
  yield* Console.log("stored")
  return yield* Effect.never
})

const layer = layerMetadata.pipe(Layer.provide(layerMigrations), Layer.provide(layerClient({ file })))

// A timer keeps the process alive, as a server's socket would.
setInterval(() => {}, 60_000)
void Effect.runPromise(Effect.provide(hold, layer))
