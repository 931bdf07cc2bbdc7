import { Array as Arr, Context, DateTime, Duration, Effect, Layer, Option, Schema, Struct } from "effect"
import type { Reader } from "../model/ApiKey.ts"
import { InvalidRequest, type NotFound, type Unavailable } from "../model/Problem.ts"
import {
  CiRun,
  CiRunTotals,
  ImportAnnouncement,
  TestId,
  type ListedTest,
  type RunPoint,
  type TestHistory,
  type TestView
} from "../model/TestHistory.ts"
import {
  ciRunWindow,
  TestHistoryStore,
  type BranchOfRuns,
  type CiRunCursor,
  type FoundCiRun
} from "../ports/TestHistoryStore.ts"
import { ciRunFinished } from "../rules/events.ts"
import { importsOf, interruptedAt, isIncomplete, maxImports, withImport, type ImportsState } from "../rules/imports.ts"
import { failedInQuarantine } from "../rules/testHistory.ts"
import { ciRunOfSource, testIdOf } from "../rules/testRuns.ts"
import {
  breakBefore,
  flakyRate,
  isFlakyTest,
  noTotals,
  totalsOf,
  unstableBefore,
  type BreakBefore,
  type UnstableResults
} from "../rules/testResults.ts"
import { makeEventsPublisher } from "./webhooks.ts"
import { inSpan } from "./telemetry.ts"
import { wordsOf } from "./Search.ts"
import { TestRuns, type Attempts } from "./TestRuns.ts"
import { OwnerName, RepoName, repositoryKey, type Repository, type RepositoryKey } from "../model/Repository.ts"
import { TestRunStatus } from "../model/TestRun.ts"
import { Name } from "../model/Text.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import type { Conflict, WriteFailure } from "../ports/WriteFailure.ts"
import { sourceParts } from "../rules/attempts.ts"
import { pageOf, positionFrom, positionText } from "../rules/pages.ts"
import { makeDefaultBranch, retryOnConflict, testsPerRepository } from "./commits.ts"
import { orNotFound, orNotLinked } from "./Authorization.ts"

/** The tests of a CI run whose last attempt failed or that are flaky, the failures outside quarantine compared with a base branch. */
export interface CiRunFailures {
  readonly ciRun: CiRun
  /** The only app whose tests count; those of all apps if it is `undefined`. */
  readonly app: string | undefined
  /** Those of the CI run, or of its runs of `app` that were read. */
  readonly totals: CiRunTotals
  /** The branch compared with; `undefined` when there is none. */
  readonly base: string | undefined
  /** Failed here and not on the base branch. */
  readonly new: ReadonlyArray<Attempts>
  /** Of the new ones, those that are flaky or intermittent on the base branch, so that the change may not be the cause. */
  readonly flakyOnBase: ReadonlyMap<TestId, UnstableResults>
  /** Of the failed tests, where they broke on the base branch before this CI run. */
  readonly breaks: ReadonlyMap<TestId, BreakBefore>
  /** Failed here, and the last result on the base branch is failed too. */
  readonly known: ReadonlyArray<Attempts>
  /** Failed here in quarantine, whatever they are on the base branch. */
  readonly quarantined: ReadonlyArray<Attempts>
  /** Passed here, and not only. */
  readonly flaky: ReadonlyArray<Attempts>
  /** False when the CI run has or had more runs than were read: more may have failed. */
  readonly isWhole: boolean
  /** Whether all imports of the CI run have ended; `undefined` where none was announced. */
  readonly imports: ImportsState | undefined
}

/** How many failures of a CI run are new: those on it alone, and those of tests that are flaky on the base branch. */
export interface NewFailures {
  readonly added: number
  readonly flakyOnBase: number
}

/** CI runs of a repository whose new failures are counted, newest first. */
interface NewFailuresQuery {
  readonly owner: string
  readonly repo: string
  readonly ciRuns: ReadonlyArray<CiRun>
  readonly defaultBranch: string | undefined
}

const historiesPerRead = 50
/** How many runs and failures of CI runs are read to count new failures in a list. */
const maxCompared = { runs: 1000, failed: 100 }

/** Compares the failures of CI runs with those of a base branch. */
const makeCiRunFailures = Effect.gen(function* () {
  const store = yield* TestHistoryStore
  const testRuns = yield* TestRuns

  /** Compares a CI run. Its totals were read before its runs, and may thus count fewer, but none that isn't read. */
  const compare = Effect.fnUntraced(function* (
    reader: Reader,
    { owner, repo }: Pick<NewFailuresQuery, "owner" | "repo">,
    {
      app,
      base,
      ciRun,
      source
    }: {
      readonly ciRun: CiRun
      readonly source: string
      readonly base: string | undefined
      readonly app?: string | undefined
    }
  ): Effect.fn.Return<CiRunFailures, NotFound | InvalidRequest | Unavailable> {
    const ciRunResults = yield* testRuns.ciRun(reader, { owner, repo, source })
    const tests = app === undefined ? ciRunResults.tests : ciRunResults.tests.filter(([{ run }]) => run.app === app)
    const failedAtAll = tests.filter(([{ run }]) => run.status === "failed")
    const failed = failedAtAll.filter(([{ run }]) => run.quarantined !== true)
    const quarantined = failedAtAll.filter(([{ run }]) => run.quarantined === true)
    const idOf = ([{ run }]: Attempts) => testIdOf(run)
    // Histories are large, so only some are in memory together.
    const onBase = yield* Effect.forEach(
      base === undefined ? [] : Arr.chunksOf(new Set(failed.map(idOf)), historiesPerRead),
      (some) =>
        Effect.map(store.findEach(reader.account.id, some, base), (histories) =>
          histories.map(({ results, testId }) => {
            const before = breakBefore(results, ciRun.ciRun)
            const unstable = unstableBefore(results, ciRun.ciRun)
            return { testId, isBroken: before.failingSince !== undefined, before, unstable }
          })
        )
    )
    const broken = new Set(onBase.flat().flatMap(({ isBroken, testId }) => (isBroken ? [testId] : [])))
    return {
      ciRun,
      app,
      totals:
        app === undefined
          ? Struct.pick(ciRun, Struct.keys(CiRunTotals.fields))
          : totalsOf(tests.flat().map(({ run }) => run)),
      base,
      new: failed.filter((test) => !broken.has(idOf(test))),
      flakyOnBase: new Map(
        onBase
          .flat()
          .flatMap(({ isBroken, testId, unstable }) => (isBroken || unstable === undefined ? [] : [[testId, unstable]]))
      ),
      breaks: new Map(onBase.flat().map(({ before, testId }) => [testId, before])),
      known: failed.filter((test) => broken.has(idOf(test))),
      quarantined,
      flaky: tests.filter((test) => isFlakyTest(test.map(({ run }) => run))),
      // Expired runs are counted still, and nobody knows how their tests ended.
      isWhole: ciRunResults.isWhole && ciRunResults.tests.flat().length >= ciRun.runs,
      imports: importsOf(ciRun.imports, DateTime.toEpochMillis(yield* DateTime.now), app)
    }
  })

  const countNew = Effect.fnUntraced(function* (
    reader: Reader,
    { ciRuns, defaultBranch, owner, repo }: NewFailuresQuery
  ) {
    let [runs, failed] = [0, 0]
    const within: Array<{
      readonly ciRun: CiRun
      readonly source: string
      readonly base: string | undefined
    }> = []
    for (const ciRun of ciRuns) {
      if (ciRun.failed === 0 || ciRun.source === undefined) continue
      runs += ciRun.runs
      failed += ciRun.failed
      if (runs > maxCompared.runs || failed > maxCompared.failed) break
      within.push({ ciRun, source: ciRun.source, base: ciRun.base ?? defaultBranch })
    }
    const all = yield* Effect.forEach(within, (one) => compare(reader, { owner, repo }, one))
    return new Map(
      all.flatMap((one) =>
        one.isWhole
          ? [
              [
                one.ciRun.ciRun,
                {
                  added: new Set(one.new.map(([{ run }]) => testIdOf(run))).size - one.flakyOnBase.size,
                  flakyOnBase: one.flakyOnBase.size
                }
              ]
            ]
          : []
      )
    )
  }, inSpan("TestHistories.newFailures"))

  return { compare, countNew }
})

interface Named {
  readonly owner: string
  readonly repo: string
}

/** What a team asks of a repository in the morning, on one branch. Lists hold at most {@link maxListed} tests, `broken` and `quarantined` together. */
export interface RepositoryHistory {
  readonly repository: Repository
  /** The branch that was asked for, else the default branch; `undefined` when there is no CI run of any branch. */
  readonly branch: string | undefined
  readonly defaultBranch: string | undefined
  readonly branches: ReadonlyArray<BranchOfRuns>
  /** The last 60 CI runs of the branch in the span, newest first. */
  readonly ciRuns: ReadonlyArray<CiRun>
  /** The tests whose last result is failed outside quarantine, those that ran last first. */
  readonly broken: ReadonlyArray<ListedTest>
  /** The tests whose last result failed in quarantine, those that ran last first. */
  readonly quarantined: ReadonlyArray<ListedTest>
  /** The tests with a flaky result in the last seven days, or whose last one is in the span, most often first. */
  readonly flaky: ReadonlyArray<ListedTest>
  readonly slowest: ReadonlyArray<ListedTest>
  /** What the broken tests are on the default branch, by id. Empty where that branch is the one shown. */
  readonly onDefault: ReadonlyMap<TestId, ListedTest>
}

/** An import that is opened, or closed where it has `registeredRuns`, and what CI knows of the CI run. */
export const AnnounceImport = Schema.Struct({
  owner: OwnerName,
  repo: RepoName,
  source: Name,
  import: Schema.Struct(Struct.omit(ImportAnnouncement.fields, ["attempt", "openedAt"])),
  details: Schema.Struct(Struct.pick(CiRun.fields, ["branch", "commitSha", "pr", "commitMessage", "author", "base"]))
})
export type AnnounceImport = typeof AnnounceImport.Type

/** How many tests a list of {@link RepositoryHistory} holds at most. */
export const maxListed = 100
const maxSlow = 10
const stripLength = 60

/** A page of tests, those that ran last first. `nextCursor` continues after it; without it, this is the last page. */
export interface TestPage {
  readonly tests: ReadonlyArray<ListedTest>
  readonly nextCursor?: string
}

/** A page of CI runs, newest first. `nextCursor` continues after it; without it, this is the last page. */
export interface CiRunPage {
  readonly ciRuns: ReadonlyArray<CiRun>
  readonly nextCursor?: string
}

/**
 * The history of tests across runs. A reader sees only what belongs to its own account and to a repository that it links.
 *
 * @see docs/history.md
 */
export class TestHistories extends Context.Service<
  TestHistories,
  {
    /** What broke, what is flaky and what is slow. `NotFound` when the repository is not linked to the account. */
    readonly repository: (
      reader: Reader,
      query: Named & {
        readonly branch?: string | undefined
        /** The span of the CI runs and of the flaky results, in milliseconds since 1970; `to` is excluded. */
        readonly span?: { readonly from: number; readonly to: number | undefined } | undefined
      }
    ) => Effect.Effect<RepositoryHistory, NotFound | InvalidRequest | Unavailable>
    /**
     * A page of a repository's tests; `flaky` selects those with a flaky result among the last 100, and `text` those whose name, file,
     * platform and app contain all of its words, and `tag` and `device` those whose last run has them. `NotFound` when the repository is not
     * linked to the account, `InvalidRequest` for a cursor that is not from a page.
     */
    readonly list: (
      reader: Reader,
      query: Named & {
        readonly branch?: string | undefined
        readonly status?: TestRunStatus | undefined
        readonly flaky?: boolean | undefined
        readonly text?: string | undefined
        readonly tag?: string | undefined
        readonly device?: string | undefined
        readonly app?: string | undefined
        readonly limit?: number | undefined
        readonly cursor?: string | undefined
      }
    ) => Effect.Effect<TestPage, NotFound | InvalidRequest | Unavailable>
    /** A test with its last 100 results, of one branch or all. `NotFound` when there is none, or it is not the account's. */
    readonly find: (
      reader: Reader,
      id: TestId,
      branch?: string | undefined
    ) => Effect.Effect<TestView, NotFound | InvalidRequest | Unavailable>
    /** As `find`, on the default branch of the test's repository; on all branches where it has no result there. */
    readonly findOnDefault: (
      reader: Reader,
      id: TestId
    ) => Effect.Effect<TestView, NotFound | InvalidRequest | Unavailable>
    /** Where a test passed last on the default branch of its repository. `undefined` when it didn't. */
    readonly lastPassOnDefault: (
      reader: Reader,
      test: TestView
    ) => Effect.Effect<
      { readonly branch: string; readonly run: RunPoint } | undefined,
      NotFound | InvalidRequest | Unavailable
    >
    /** The histories of these tests on a branch, or on all, without those that don't exist. At most 1,000 ids. */
    readonly findEach: (
      reader: Reader,
      ids: ReadonlyArray<TestId>,
      branch?: string | undefined
    ) => Effect.Effect<ReadonlyArray<TestHistory>, InvalidRequest | Unavailable>
    /** How many different tests a repository has, counted up to `testsPerRepository`. */
    readonly countTests: (
      reader: Reader,
      named: Named
    ) => Effect.Effect<number, NotFound | InvalidRequest | Unavailable>
    /** The branches that a test ran on, the last first, at most 50. */
    readonly branchesOf: (
      reader: Reader,
      id: TestId
    ) => Effect.Effect<ReadonlyArray<string>, InvalidRequest | Unavailable>
    /**
     * A page of a repository's CI runs that fit. If few do, it is shorter than `limit`, and `nextCursor` continues the search. Fails as
     * `list` does.
     */
    readonly ciRuns: (
      reader: Reader,
      query: Named & {
        readonly branch?: string | undefined
        readonly fits?: ((ciRun: CiRun) => boolean) | undefined
        readonly limit?: number | undefined
        readonly cursor?: string | undefined
      }
    ) => Effect.Effect<CiRunPage, NotFound | InvalidRequest | Unavailable>
    /** The newest CI runs of all repositories of the account, at most `limit`. */
    readonly newestCiRuns: (
      reader: Reader,
      limit: number
    ) => Effect.Effect<ReadonlyArray<FoundCiRun>, InvalidRequest | Unavailable>
    /**
     * Which failures of a CI run are new. It is compared with `base`, else with the base that CI sent, else with the repository's
     * default branch. With `app`, only that app's tests count. `NotFound` when
     * there is no such CI run, or the repository is not linked to the account.
     */
    readonly failures: (
      reader: Reader,
      query: Named & {
        readonly source: string
        readonly base?: string | undefined
        readonly app?: string | undefined
      }
    ) => Effect.Effect<CiRunFailures, NotFound | InvalidRequest | Unavailable>
    /**
     * Opens an import of the CI run that a source names, or closes it where it has `registeredRuns`. Repeated, it changes nothing.
     * Answers what is known of the CI run's imports then. `NotFound` when the repository is not linked to the account, `InvalidRequest`
     * when the CI run has too many imports.
     */
    readonly announceImport: (
      reader: Reader,
      announced: AnnounceImport
    ) => Effect.Effect<ImportsState, NotFound | InvalidRequest | WriteFailure>
    /**
     * How many failures of these CI runs, newest first, are new, by the key of the CI run. Each is compared with its own base, else with
     * `defaultBranch`. Only the newest are read, as far as they have 1,000 runs and 100 failures together, and of these only those are
     * answered that have a source and all their runs.
     */
    readonly newFailures: (
      reader: Reader,
      query: NewFailuresQuery
    ) => Effect.Effect<ReadonlyMap<string, NewFailures>, NotFound | InvalidRequest | Unavailable>
  }
>()("slipway/core/service/TestHistories") {
  static readonly layer = Layer.effect(
    TestHistories,
    Effect.gen(function* () {
      const store = yield* TestHistoryStore
      const linked = yield* RepositoryStore
      const { compare, countNew } = yield* makeCiRunFailures

      const position = (cursor: string | undefined) =>
        cursor === undefined
          ? Effect.undefined
          : Effect.mapError(
              Effect.fromOption(positionFrom(cursor)),
              () =>
                new InvalidRequest({
                  detail: "The request does not fit; see issues.",
                  issues: [{ path: "cursor", message: "must be the cursor of an earlier page" }]
                })
            )

      const sizeOf = (limit: number | undefined): number => Math.min(100, Math.max(1, limit ?? 50))

      const defaultBranchOfAccount = yield* makeDefaultBranch
      const publish = yield* makeEventsPublisher
      const defaultBranchFor = ({ account }: Reader, key: RepositoryKey) => defaultBranchOfAccount(account.id, key)

      const repository = Effect.fnUntraced(function* (
        reader: Reader,
        { branch: requested, owner, repo, span }: Parameters<TestHistories["Service"]["repository"]>[1]
      ) {
        const key = repositoryKey(owner, repo)
        const { branch: defaultBranch, branches, repository: found } = yield* defaultBranchFor(reader, key)
        const { account } = reader
        const branch = requested ?? defaultBranch
        const query = { account: account.id, repository: key }
        const { from, to = Infinity } = span ?? {}
        const flakySince =
          from === undefined
            ? DateTime.subtractDuration(yield* DateTime.now, Duration.days(7))
            : DateTime.makeUnsafe(from)
        const after = Number.isFinite(to) ? { startedAt: DateTime.makeUnsafe(to), ciRun: "" } : undefined
        const isWithin = (at: DateTime.Utc) =>
          DateTime.toEpochMillis(at) >= (from ?? 0) && DateTime.toEpochMillis(at) < to
        const tests = (
          filter: { readonly status?: TestRunStatus; readonly flakySince?: DateTime.Utc },
          by: "newest" | "slowest",
          limit: number
        ) => Effect.flatMap(store.list({ ...query, filter: { branch, ...filter }, order: { by }, limit }), orNotFound)
        const lists = yield* Effect.all(
          {
            ciRuns: Effect.flatMap(store.ciRuns({ ...query, branch, after, limit: stripLength }), orNotFound),
            failed: tests({ status: "failed" }, "newest", maxListed),
            flaky: tests({ flakySince }, "newest", maxListed),
            slowest: tests({}, "slowest", maxSlow)
          },
          { concurrency: "unbounded" }
        )
        const broken = lists.failed.filter((test) => !failedInQuarantine(test))
        const ciRuns = lists.ciRuns.filter(({ startedAt }) => isWithin(startedAt))
        const flaky = lists.flaky
          .filter(({ lastFlakyAt }) => lastFlakyAt !== undefined && isWithin(lastFlakyAt))
          .toSorted((a, b) => flakyRate(b.summary) - flakyRate(a.summary))
        const ids = branch === defaultBranch ? [] : broken.map(({ testId }) => testId)
        const others = ids.length === 0 ? [] : yield* store.findEach(account.id, ids, defaultBranch)
        const onDefault = new Map(others.map((test) => [test.testId, test]))
        return {
          repository: found,
          branch,
          defaultBranch,
          branches,
          ciRuns,
          broken,
          quarantined: lists.failed.filter(failedInQuarantine),
          flaky,
          slowest: lists.slowest,
          onDefault
        }
      }, inSpan("TestHistories.repository"))

      const list = Effect.fnUntraced(function* (
        { account }: Reader,
        {
          app,
          branch,
          cursor,
          device,
          flaky,
          limit,
          owner,
          repo,
          status,
          tag,
          text
        }: Parameters<TestHistories["Service"]["list"]>[1]
      ) {
        const size = sizeOf(limit)
        const after = yield* position(cursor)
        const rows = yield* store.list({
          account: account.id,
          repository: repositoryKey(owner, repo),
          filter: {
            app,
            branch,
            status,
            words: text === undefined ? undefined : wordsOf(text),
            tag,
            device,
            flakySince: flaky === true ? DateTime.makeUnsafe(0) : undefined
          },
          order: {
            by: "newest",
            after: after && { lastRunAt: after.at, testId: TestId.make(after.id) }
          },
          limit: size + 1
        })
        const { last, page } = pageOf(yield* orNotFound(rows), size)
        return {
          tests: page,
          ...(last && { nextCursor: positionText({ at: last.lastRunAt, id: last.testId }) })
        }
      }, inSpan("TestHistories.list"))

      const ciRuns = Effect.fnUntraced(function* (
        { account }: Reader,
        { branch, cursor, fits = () => true, limit, owner, repo }: Parameters<TestHistories["Service"]["ciRuns"]>[1]
      ) {
        const size = sizeOf(limit)
        const start = yield* position(cursor)
        let after: CiRunCursor | undefined = start && { startedAt: start.at, ciRun: start.id }
        const listed: Array<CiRun> = []
        let read = 0
        do {
          const page: ReadonlyArray<CiRun> = yield* Effect.flatMap(
            store.ciRuns({
              account: account.id,
              repository: repositoryKey(owner, repo),
              branch,
              after,
              limit: size + 1
            }),
            orNotFound
          )
          const fitting = page
            .slice(0, size)
            .filter(fits)
            .slice(0, size - listed.length)
          listed.push(...fitting)
          read += page.length
          const isFull = listed.length === size
          const last = isFull ? listed.at(-1) : page[size - 1]
          after = page.length > size || (isFull && last !== page.at(-1)) ? last : undefined
          if (isFull) break
        } while (after !== undefined && read < ciRunWindow)
        return {
          ciRuns: listed,
          ...(after && { nextCursor: positionText({ at: after.startedAt, id: after.ciRun }) })
        }
      }, inSpan("TestHistories.ciRuns"))

      const failures = Effect.fnUntraced(function* (
        reader: Reader,
        { app, base, owner, repo, source }: Parameters<TestHistories["Service"]["failures"]>[1]
      ) {
        const key = repositoryKey(owner, repo)
        const [repository, ciRun] = yield* Effect.all(
          [
            defaultBranchFor(reader, key),
            Effect.flatMap(store.findCiRun(reader.account.id, key, ciRunOfSource(source)), orNotFound)
          ],
          { concurrency: "unbounded" }
        )
        return yield* compare(
          reader,
          { owner, repo },
          {
            ciRun,
            source,
            app,
            base: base ?? ciRun.base ?? repository.branch
          }
        )
      }, inSpan("TestHistories.failures"))

      const announceImport = Effect.fnUntraced(function* (
        { account }: Reader,
        { details, import: announced, owner, repo, source }: AnnounceImport
      ) {
        const key = repositoryKey(owner, repo)
        const repository = yield* Effect.flatMap(linked.find(account.id, key), (found) =>
          orNotLinked(found, { owner, repo })
        )
        const ciRun = ciRunOfSource(source)
        const { attempt } = sourceParts(source)
        return yield* retryOnConflict(
          Effect.gen(function* (): Effect.gen.Return<ImportsState, InvalidRequest | Conflict | WriteFailure> {
            const now = yield* DateTime.now
            const stored = Option.getOrUndefined(yield* store.findCiRun(account.id, key, ciRun))
            const opened = { ...announced, ...withoutUndefined({ attempt }), openedAt: DateTime.toEpochMillis(now) }
            const imports = withImport(stored?.imports ?? [], opened)
            if (imports === undefined) {
              const issue = {
                path: "id",
                message: `must be one of the ${maxImports} imports that a CI run has at most`
              }
              return yield* new InvalidRequest({ detail: "The request does not fit; see issues.", issues: [issue] })
            }
            const state: ImportsState = importsOf(imports, opened.openedAt) ?? {
              state: "complete",
              completedImports: 0,
              missing: []
            }
            const saved: CiRun = {
              ...noTotals,
              repositoryId: repository.id,
              accountId: account.id,
              ciRun,
              source,
              startedAt: now,
              ...details,
              ...stored,
              imports,
              importsVersion: (stored?.importsVersion ?? 0) + 1
            }
            const { finishesAt: finishes, ...next } = saved
            const finished =
              finishes !== undefined && !isIncomplete(state) ? [ciRunFinished({ ciRun: next, repository }, state)] : []
            // What is interrupted and has no such time has finished already.
            const isOpen = state.state === "incomplete" || (finishes !== undefined && state.state === "interrupted")
            const end = isOpen ? { finishesAt: DateTime.makeUnsafe(interruptedAt(imports)) } : {}
            yield* publish(finished, now, ([event]) => store.saveImports({ ...next, ...end }, event))
            return state
          })
        )
      }, inSpan("TestHistories.announceImport"))

      const findOnDefault = Effect.fnUntraced(function* (reader: Reader, id: TestId) {
        const { repository, test } = yield* Effect.flatMap(store.find(reader.account.id, id, undefined), orNotFound)
        const { branch } = yield* defaultBranchFor(reader, repositoryKey(repository.owner, repository.repo))
        const [there = test] = branch === undefined ? [] : yield* store.findEach(reader.account.id, [id], branch)
        return { repository, test: there }
      }, inSpan("TestHistories.findOnDefault"))

      const countTests = Effect.fnUntraced(function* ({ account }: Reader, { owner, repo }: Named) {
        const { id } = yield* Effect.flatMap(linked.find(account.id, repositoryKey(owner, repo)), orNotFound)
        return (yield* store.room(id, testsPerRepository)).tests
      }, inSpan("TestHistories.countTests"))

      return TestHistories.of({
        repository,
        announceImport,
        list,
        ciRuns,
        failures,
        newFailures: countNew,
        newestCiRuns: ({ account }: Reader, limit: number) => store.searchCiRuns(account.id, { words: [] }, limit),
        find: ({ account }: Reader, id: TestId, branch?: string) =>
          Effect.flatMap(store.find(account.id, id, branch), orNotFound),
        findOnDefault,
        countTests,
        findEach: ({ account }: Reader, ids: ReadonlyArray<TestId>, branch?: string) =>
          store.findEach(account.id, ids, branch),
        branchesOf: ({ account }: Reader, id: TestId) => store.branchesOf(account.id, id, 50),
        lastPassOnDefault: Effect.fnUntraced(function* (reader, { repository: { owner, repo }, test }) {
          const { branch } = yield* defaultBranchFor(reader, repositoryKey(owner, repo))
          if (branch === undefined || branch === test.branch) return undefined
          const [there] = yield* store.findEach(reader.account.id, [test.testId], branch)
          const run = there?.summary.lastPassed
          return run === undefined ? undefined : { branch, run }
        }, inSpan("TestHistories.lastPassOnDefault"))
      })
    })
  )
}
