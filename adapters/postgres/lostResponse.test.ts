/**
 * A connection that breaks after the server has committed a change and before it answers. The client can't know the
 * result, so the port fails with `Unavailable` and retries nothing. A caller that repeats the request finds the
 * change (`../kit/service.ts`).
 */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { firstReserve } from "../kit/parts/stored.ts"
import { instant, makeKey, makeOnce, makeRun } from "../kit/parts/samples.ts"
import { layer, layerClient, layerMigrations } from "./index.ts"
import { makeOneOfEach, type Prepared } from "../sql/testing/calls.ts"
import { makeDetour } from "./testing/detour.ts"
import { newDatabase } from "./testing/server.ts"

/** Counts that show which changes were made, and how often. */
const counts = {
  accounts: "SELECT count(*) FROM accounts",
  keys: "SELECT count(*) FROM api_keys",
  "keys that end": "SELECT count(expires_at) FROM api_keys",
  builds: "SELECT count(*) FROM builds",
  "versions of builds": "SELECT sum(version) FROM builds",
  reservations: "SELECT count(*) FROM build_reservations",
  runs: "SELECT count(*) FROM test_runs",
  answers: "SELECT count(*) FROM idempotency_keys"
}

const counted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fields = Object.entries(counts).map(([name, query]) => `(${query})::integer AS "${name}"`)
  const [row] = yield* sql.unsafe<Readonly<Record<string, number>>>(`SELECT ${fields.join(", ")}`)
  return row ?? assert.fail("a SELECT without FROM has a row")
})

/** The counts that have grown, and by how much. */
const growth = (before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, by]) => by !== 0)
  )

type StorePorts = BuildStore | KeyStore | TestRunStore

/** The changes: the call, words in the statement whose answer is lost, and the count that shows the change. */
const deeds = [
  {
    name: "a reservation",
    words: "INSERT INTO build_reservations",
    deed: ({ account, home }: Prepared) =>
      BuildStore.use((store) => store.commitReserve({ ...firstReserve(home), once: makeOnce(account) })),
    done: { builds: 1, "versions of builds": 1, reservations: 1, answers: 1 }
  },
  {
    name: "a run",
    words: "INSERT INTO test_runs",
    deed: ({ account, preview, repository }: Prepared) =>
      TestRunStore.use((store) => store.insert({ run: makeRun(repository, preview), once: makeOnce(account) })),
    done: { runs: 1, answers: 1 }
  },
  {
    name: "the COMMIT of a rotation",
    words: "COMMIT",
    deed: ({ account, key }: Prepared) =>
      KeyStore.use((store) =>
        store.rotate({ old: key.id, oldExpiresAt: instant(9), now: instant(2), replacement: makeKey(account) })
      ),
    done: { keys: 1, "keys that end": 1 }
  }
]

const layerHost = (url: string) =>
  Layer.fresh(
    layer.pipe(Layer.provideMerge(layerMigrations), Layer.provideMerge(layerClient({ url: Redacted.make(url) })))
  )

describe("an answer that is lost", () => {
  it.live.each(deeds)("to $name becomes Unavailable, and the change was made once", function* ({ deed, done, words }) {
    const url = yield* newDatabase
    const detour = yield* makeDetour(url)
    yield* Effect.gen(function* () {
      const loaded = yield* makeOneOfEach
      const before = yield* counted
      // This host runs the statement for the first time, so its words are sent over the connection.
      yield* Effect.gen(function* () {
        detour.loseResponseTo(words)
        const failed: unknown = yield* Effect.flip<unknown, unknown, StorePorts>(deed(loaded))
        assert.strictEqual(failed, Unavailable.default)
        assert.deepStrictEqual(growth(before, yield* counted), done)
      }).pipe(Effect.provide(layerHost(detour.url)))
    }).pipe(Effect.provide(layerHost(url)))
  })
})
