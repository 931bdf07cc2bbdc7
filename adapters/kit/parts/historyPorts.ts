/** Runs of a repository, and what is stored of their histories. */
import { Effect, Option } from "effect"
import type { ListedTest } from "../../../core/model/TestHistory.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import type { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import type { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { ciRunOf, testIdOf } from "../../../core/rules/testRuns.ts"
import { keyOf, newHome, type BuildPorts, type Home } from "./buildPorts.ts"
import { plainCiRun, plainHistory, registered } from "./histories.ts"
import { found, plainRun } from "./plain.ts"
import { instant, makePreview, makeRun } from "./samples.ts"

/** What the cases need beside a `TestHistoryStore`: runs change histories. */
export type HistoryPorts = BuildPorts | ErasureStore | PreviewStore | TestHistoryStore | TestRunStore

export const newPlace = Effect.gen(function* () {
  const home = yield* newHome
  const preview = makePreview(home.account)
  yield* (yield* PreviewStore).commitReserve({ preview })
  let count = 0
  /** A run of a test, each later than the ones before. */
  const run = (fields: Partial<TestRun> = {}): TestRun => {
    count += 1
    return makeRun(home.repository, preview, { name: "Pay", createdAt: instant(count * 1000), ...fields })
  }
  return { ...home, preview, run, register: (fields?: Partial<TestRun>) => registered(run(fields)) }
})

export const unlink = ({ account, repository }: Home) =>
  RepositoryStore.use((store) => store.unlink(account.id, keyOf(repository)))

export const listed = (
  { account, repository }: Home,
  query: Partial<Parameters<TestHistoryStore["Service"]["list"]>[0]> = {}
) =>
  TestHistoryStore.use((store) =>
    store.list({
      account: account.id,
      repository: keyOf(repository),
      filter: {},
      order: { by: "newest" },
      limit: 100,
      ...query
    })
  )

export const namesOf = (tests: Option.Option<ReadonlyArray<ListedTest>>) =>
  Option.getOrThrow(tests).map(({ name }) => name)

export const listedCiRuns = (
  { account, repository }: Home,
  query: Partial<Parameters<TestHistoryStore["Service"]["ciRuns"]>[0]> = {}
) =>
  TestHistoryStore.use((store) =>
    store.ciRuns({ account: account.id, repository: keyOf(repository), limit: 100, ...query })
  )

/** All that is stored of a test and a CI run, to compare. */
export const stateOf = Effect.fnUntraced(function* ({ account, repository }: Home, run: TestRun) {
  const store = yield* TestHistoryStore
  const histories = yield* Effect.forEach([undefined, run.branch], (branch) =>
    store.find(account.id, testIdOf(run), branch)
  )
  return {
    histories: histories.map((one) =>
      found(
        plainHistory,
        Option.map(one, ({ test }) => test)
      )
    ),
    ciRun: found(plainCiRun, yield* store.findCiRun(account.id, keyOf(repository), ciRunOf(run))),
    runs: (yield* store.storedRuns(testIdOf(run), { limit: 100, bytes: 2 ** 20 })).map(plainRun)
  }
})
