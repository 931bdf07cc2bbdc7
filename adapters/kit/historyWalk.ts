import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Schema } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { ShareId } from "../../core/model/Preview.ts"
import { type Repository, repositoryKey } from "../../core/model/Repository.ts"
import { TestHistory } from "../../core/model/TestHistory.ts"
import { type TestRun, TestRunId } from "../../core/model/TestRun.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { groupedBy } from "../../core/rules/attempts.ts"
import { historyOf } from "../../core/rules/testHistory.ts"
import { maxResults, resultsOf, totalsOf } from "../../core/rules/testResults.ts"
import { ciRunOf, isCiRun, startOf, testIdOf } from "../../core/rules/testRuns.ts"
import { makeHistories } from "../../core/service/commits.ts"
import { newHome } from "./parts/stored.ts"
import { type Cases, forAll } from "./parts/suite.ts"
import { instant } from "./parts/samples.ts"
import type { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import type { RunPorts } from "./testRunStore.ts"

/** Erases an account that has no uploads. */
const erase = Effect.fnUntraced(function* (store: ErasureStore["Service"], account: AccountId) {
  const [at, settledAt] = [instant(100), instant(200)]
  yield* store.begin(account, { nameHash: "a name", at, settledAt, actor: { administrator: "Ada" }, gone: {} })
  let isOver = false
  while (!isOver) isOver = (yield* store.eraseStep({ account, now: settledAt, uploads: [], limit: 20 })).isOver
}, Effect.orDie)

/** The random walks over histories of `core/testing`, so many of them. */
export const walkCase = (it: Cases<ErasureStore | QuarantineStore | RunPorts | TestHistoryStore>, walks: number) =>
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

// Random walks over the registration and deletion of runs. Whatever the order, the stored histories and the totals of CI runs are what
// the rules make of all runs that there are.

const who = Schema.Literals([0, 1])
const few = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))

/** One step of a walk. `run` counts from the newest or from the oldest run, `ci` names a CI run, a commit or neither. */
const HistoryStep = Schema.Union([
  Schema.Struct({
    do: Schema.Literal("register"),
    who,
    test: Schema.Literals(["a", "a", "b", "c"]),
    branch: Schema.Literals(["main", "main", "other", "none"]),
    ci: Schema.Literals(["ci:1", "ci:2", "old", "commit", "none"]),
    attempt: Schema.Literals([0, 1, 2]),
    device: Schema.Literals(["none", "Pixel 9", "Pixel 8"]),
    status: Schema.Literals(["passed", "passed", "failed"]),
    retried: Schema.Boolean,
    /** How many minutes before its registration it started, or after it, as a clock that is wrong says. */
    late: Schema.Literals([0, 0, 1, 3, 200, -5])
  }),
  Schema.Struct({ do: Schema.Literal("delete"), who, run: few, from: Schema.Literals(["newest", "oldest"]) }),
  Schema.Struct({ do: Schema.Literal("erase"), who: Schema.Literal(1) })
])
type HistoryStep = typeof HistoryStep.Type

const registration = { do: "register", who: 0, branch: "main", attempt: 0, device: "none", late: 0 } as const

/** The steps that each walk begins with: runs are deleted of a CI run that has others, and of a test with more runs than it shows. */
const opening: ReadonlyArray<HistoryStep> = [
  { ...registration, test: "b", ci: "ci:1", status: "failed", retried: false },
  { ...registration, test: "a", ci: "ci:1", status: "passed", retried: true },
  { do: "delete", who: 0, run: 0, from: "newest" },
  { do: "delete", who: 0, run: 1, from: "newest" }
]

const HistoryWalk = Schema.Array(HistoryStep).check(Schema.isBetweenLength(12, 40))

interface HistoryWorld {
  /** The repositories of two accounts. */
  readonly repositories: readonly [Repository, Repository]
  /** Erases an account with all that it has. */
  readonly erase: (who: 0 | 1) => Effect.Effect<void>
}

const minute = 60_000
const begin = Date.UTC(2026, 4, 4)

const plain = (history: TestHistory | undefined) => {
  if (history === undefined) return undefined
  const { version: _, ...rest } = history
  return Schema.encodeSync(TestHistory)({ ...rest, version: 0 })
}

/**
 * Takes every step, and checks every few and at the end:
 *
 * - the history of each test, of all branches and of each, is that of all its runs;
 * - the totals of each CI run are those of all its runs;
 * - nothing is left of an account that was erased, and nothing of the other changes.
 *
 * Each walk begins with a test whose last results are as many as a history holds, and with the steps of `opening`.
 */
const walkHistories = Effect.fnUntraced(function* (world: HistoryWorld, steps: ReadonlyArray<HistoryStep>) {
  const [store, histories, change] = [yield* TestRunStore, yield* TestHistoryStore, yield* makeHistories]
  const all: readonly [Array<TestRun>, Array<TestRun>] = [[], []]
  const known: readonly [Array<TestRun>, Array<TestRun>] = [[], []]
  const erased = new Set<0 | 1>()
  let made = 0

  const runOf = (who: 0 | 1, fields: Partial<TestRun>): TestRun => {
    made += 1
    const { accountId, id } = world.repositories[who]
    return {
      id: TestRunId.make(`${id}-${String(made).padStart(4, "0")}`),
      accountId,
      repositoryId: id,
      previewShareId: ShareId.make("a preview"),
      kind: "maestro",
      status: "passed",
      createdAt: DateTime.makeUnsafe(begin + made * minute),
      ...fields
    }
  }

  const begun = Effect.fnUntraced(function* (who: 0 | 1) {
    const runs = Array.from({ length: maxResults + 3 }, (_, at) =>
      runOf(who, { name: "a", branch: "main", durationMs: at, status: at % 7 === 3 ? "failed" : "passed" })
    )
    const [last] = runs.slice(-1)
    if (last === undefined) return
    const tests = [undefined, "main"].map((branch) => ({
      testId: testIdOf(last),
      branch,
      expected: 0,
      next: historyOf(last, { branch, version: 1 }, resultsOf(runs))
    }))
    for (const run of runs) {
      yield* store.insert({ run, ...(run === last ? { history: { tests, ciRun: undefined } } : {}) })
    }
    all[who].push(...runs)
    known[who].push(...runs)
  })

  const register = Effect.fnUntraced(function* (step: Extract<HistoryStep, { readonly do: "register" }>) {
    const { attempt, branch, ci, device, late, retried, status, test, who } = step
    const named = ci === "old" ? "ci:old" : ci
    const plainRun = runOf(who, {
      name: test,
      status,
      durationMs: made % 11,
      ...(branch === "none" ? {} : { branch }),
      ...(ci === "none" ? {} : { commitSha: (ci === "ci:1" ? "1" : "2").repeat(40) }),
      ...(named.startsWith("ci:") ? { source: attempt === 0 ? named : `${named}/${attempt}` } : {}),
      ...(device === "none" ? {} : { device: { name: device } }),
      ...(retried ? { attempts: [{ status: "failed" as const }, { status }] } : {}),
      ...(status === "failed" && made % 3 === 0 ? { quarantined: true } : {}),
      ...(status === "failed" ? { failureMessage: `Element ${made} not found` } : {})
    })
    // Runs of one CI run began long before the results that a history still holds.
    const startedAt = DateTime.addDuration(plainRun.createdAt, -(ci === "old" ? made + 50 : late) * minute)
    const run = late === 0 && ci !== "old" ? plainRun : { ...plainRun, startedAt }
    const { history } = yield* change.withRun({ run, repository: world.repositories[who] })
    yield* store.insert({ run, history })
    all[who].push(run)
    known[who].push(run)
  })

  const remove = Effect.fnUntraced(function* (run: TestRun, who: 0 | 1) {
    yield* store.commitDelete(run, yield* change.withoutRun(run))
    all[who].splice(all[who].indexOf(run), 1)
  })

  const check = Effect.fnUntraced(function* (who: 0 | 1) {
    const repository = world.repositories[who]
    for (const [testId, [sample]] of groupedBy(known[who], testIdOf)) {
      if (sample === undefined) continue
      const runs = all[who].filter((run) => testIdOf(run) === testId)
      for (const branch of [undefined, "main", "other"]) {
        const stored = Option.map(yield* histories.find(sample.accountId, testId, branch), ({ test }) => test)
        const own = runs.filter((run) => branch === undefined || run.branch === branch)
        const expected = historyOf(sample, { branch, version: 0 }, resultsOf(own))
        assert.deepStrictEqual(plain(Option.getOrUndefined(stored)), plain(expected), `${sample.name} on ${branch}`)
      }
    }
    for (const [key, [sample]] of groupedBy(known[who], ciRunOf)) {
      if (sample === undefined || !isCiRun(key)) continue
      const ciRun = yield* histories.findCiRun(sample.accountId, repositoryKey(repository.owner, repository.repo), key)
      const stored = Option.getOrUndefined(
        Option.map(ciRun, ({ durationMs, failed, flaky, passed, quarantined, runs }) => ({
          passed,
          failed,
          flaky,
          quarantined,
          runs,
          durationMs
        }))
      )
      const runs = all[who].filter((run) => ciRunOf(run) === key)
      assert.deepStrictEqual(
        stored,
        runs.length === 0 ? undefined : totalsOf(runs),
        `the totals of ${sample.source ?? key}`
      )
      const started = Option.getOrUndefined(Option.map(ciRun, ({ startedAt }) => DateTime.toEpochMillis(startedAt)))
      if (started !== undefined) assert.isAtMost(started, Math.min(...runs.map(startOf)))
    }
  })

  yield* begun(0)
  const walk = [...opening, ...steps]
  for (const [at, step] of walk.entries()) {
    if (!erased.has(step.who)) {
      if (step.do === "register") yield* register(step)
      else if (step.do === "delete") {
        const run = all[step.who].at(step.from === "newest" ? -1 - step.run : step.run)
        if (run !== undefined) yield* remove(run, step.who)
      } else if (at > 8) {
        yield* world.erase(step.who)
        erased.add(step.who)
        all[step.who].length = 0
      }
    }
    if (at % 5 === opening.length - 1 || at === walk.length - 1) yield* Effect.forEach([0, 1] as const, check)
  }
})
