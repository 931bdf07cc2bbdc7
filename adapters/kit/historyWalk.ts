import { Effect } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import type { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { HistoryWalk, walkHistories } from "./parts/historyWalk.ts"
import { newHome } from "./parts/buildPorts.ts"
import { forAll } from "./parts/forAll.ts"
import { instant } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import type { RunPorts } from "./testRunStore.ts"

/** Erases an account that has no uploads. */
const erase = Effect.fnUntraced(function* (store: ErasureStore["Service"], account: AccountId) {
  const [at, settledAt] = [instant(100), instant(200)]
  yield* store.begin(account, { nameHash: "a name", at, settledAt, actor: { administrator: "Ada" }, gone: {} })
  let isOver = false
  while (!isOver) isOver = (yield* store.eraseStep({ account, now: settledAt, uploads: [], limit: 20 })).isOver
}, Effect.orDie)

/** The random walks over histories of `core/testing`, so many of them. */
export const walkCase = (it: Cases<ErasureStore | RunPorts | TestHistoryStore>, walks: number) =>
  it.effect("in a random walk, every history and total equals what the rules make of all runs that there are", () =>
    forAll(
      HistoryWalk,
      Effect.fnUntraced(function* (steps) {
        const [store, homes] = [yield* ErasureStore, [yield* newHome, yield* newHome] as const]
        const [{ repository: first }, { repository: second }] = homes
        yield* walkHistories(
          { repositories: [first, second], erase: (who) => erase(store, homes[who].account.id) },
          steps
        )
      }),
      { runs: walks, size: 40 }
    )
  )
