import { DateTime, Option, Struct } from "effect"
import type { CiRun, HistoryChange, ListedTest, TestHistory, TestId } from "../../core/model/TestHistory.ts"
import type { RepositoryId } from "../../core/model/Repository.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ciRunWindow, TestHistoryStore, type BranchOfRuns } from "../../core/ports/TestHistoryStore.ts"
import { importsOf, isIncomplete } from "../../core/rules/imports.ts"
import { weighing } from "../../core/rules/pages.ts"
import type { Entry, Run, Transaction } from "./KeyValueStore.ts"
import {
  below,
  ciRuns,
  digest,
  keyOf,
  quarantines,
  repositories,
  runs,
  take,
  testHistories,
  timeKey,
  walk
} from "./tables.ts"
import { post } from "./outbox.ts"
import { linkedById, linkedRepository } from "./repositories.ts"

/** What stands in keys for a branch, or for all of them. */
const branchKey = (branch: string | undefined): string => (branch === undefined ? "all" : digest(branch))

interface HistoryKey {
  readonly testId: TestId
  readonly branch?: string | undefined
}

const findHistory = (tx: Transaction, { branch, testId }: HistoryKey) =>
  testHistories.find(tx, testId, branchKey(branch))

/** The keys under which lists find a history. */
const historyLists = (history: TestHistory): ReadonlyArray<string> => {
  const { accountId, branch, lastRunAt, repositoryId, testId } = history
  return [
    keyOf("testsOf", repositoryId, branchKey(branch), timeKey(lastRunAt), testId),
    keyOf("historiesOf", accountId, testId, branchKey(branch))
  ]
}

/** The keys under which lists find a CI run. */
const ciRunLists = ({ accountId, ciRun, finishesAt, repositoryId, startedAt }: CiRun): ReadonlyArray<string> => [
  ...(finishesAt === undefined ? [] : [keyOf("ciRunsUnfinished", timeKey(finishesAt), repositoryId, ciRun)]),
  keyOf("ciRunsOf", repositoryId, timeKey(startedAt), ciRun),
  keyOf("ciRunsOfAccount", accountId, repositoryId, ciRun)
]

export const removeHistory = async (tx: Transaction, history: TestHistory): Promise<void> => {
  for (const key of historyLists(history)) await tx.remove(key)
  await testHistories.remove(tx, history.testId, branchKey(history.branch))
}

export const putHistory = async (tx: Transaction, history: TestHistory): Promise<void> => {
  await testHistories.put(tx, history, history.testId, branchKey(history.branch))
  for (const key of historyLists(history)) await tx.set(key, keyOf(history.testId, branchKey(history.branch)))
}

export const removeCiRun = async (tx: Transaction, ciRun: CiRun): Promise<void> => {
  for (const key of ciRunLists(ciRun)) await tx.remove(key)
  await ciRuns.remove(tx, ciRun.repositoryId, ciRun.ciRun)
}

export const putCiRun = async (tx: Transaction, ciRun: CiRun): Promise<void> => {
  await ciRuns.put(tx, ciRun, ciRun.repositoryId, ciRun.ciRun)
  for (const key of ciRunLists(ciRun)) await tx.set(key, keyOf(ciRun.repositoryId, ciRun.ciRun))
}

/** The CI run or history that an entry of a list names. */
const historyAt = (tx: Transaction, { value }: Entry) => testHistories.find(tx, ...value.split("/"))
const ciRunAt = (tx: Transaction, { value }: Entry) => ciRuns.find(tx, ...value.split("/"))

const addToCiRun = async (tx: Transaction, added: CiRun): Promise<void> => {
  const stored = await ciRuns.find(tx, added.repositoryId, added.ciRun)
  if (stored !== undefined) await removeCiRun(tx, stored)
  const next: CiRun =
    stored === undefined
      ? added
      : {
          ...stored,
          // What its imports were announced with.
          ...(stored.runs === 0 ? Struct.omit(added, ["imports", "importsVersion"]) : {}),
          ...(added.runs > 0 && added.source !== undefined ? { source: added.source } : {}),
          startedAt: added.runs > 0 ? DateTime.min(stored.startedAt, added.startedAt) : stored.startedAt,
          passed: stored.passed + added.passed,
          failed: stored.failed + added.failed,
          flaky: stored.flaky + added.flaky,
          quarantined: stored.quarantined + added.quarantined,
          runs: stored.runs + added.runs,
          durationMs: stored.durationMs + added.durationMs
        }
  if (next.runs > 0 || isIncomplete(importsOf(next.imports, 0))) await putCiRun(tx, next)
}

/** Stores what a commit changes in histories; false, and nothing is stored, if one has another version than expected. */
export const storeHistory = async (tx: Transaction, change: HistoryChange | undefined): Promise<boolean> => {
  if (change === undefined) return true
  const stored = new Map<HistoryKey, TestHistory | undefined>()
  for (const write of change.tests) stored.set(write, await findHistory(tx, write))
  if (change.tests.some((write) => (stored.get(write)?.version ?? 0) !== write.expected)) return false
  for (const write of change.tests) {
    const before = stored.get(write)
    if (before !== undefined) await removeHistory(tx, before)
    if (write.next !== undefined) await putHistory(tx, write.next)
  }
  if (change.ciRun !== undefined) await addToCiRun(tx, change.ciRun)
  if (change.evicted !== undefined) {
    for await (const { key } of walk(tx, { ...below("testHistory", change.evicted), reverse: false })) {
      const history = await testHistories.find(tx, ...key.split("/").slice(1))
      if (history !== undefined) await removeHistory(tx, history)
    }
  }
  return true
}

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** Whether some texts together contain every word, ASCII letters in either case. */
const contain = (texts: ReadonlyArray<string | undefined>, words: ReadonlyArray<string>): boolean =>
  words.every((word) => texts.some((one) => one !== undefined && lowerAscii(one).includes(lowerAscii(word))))

const textsOf = ({ app, file, name, platform, prompt }: TestHistory) => [name, prompt, file, platform, app]

const withoutResults = (history: TestHistory): ListedTest => Struct.omit(history, ["results"])

const slowestFirst = (a: TestHistory, b: TestHistory): number =>
  (b.p95Ms ?? 0) - (a.p95Ms ?? 0) || (a.testId < b.testId ? 1 : -1)

/** The histories of a repository on a branch, or on all, newest first. */
const testsOf = (tx: Transaction, repository: RepositoryId, branch: string | undefined) =>
  walk(tx, { ...below("testsOf", repository, branchKey(branch)), reverse: true })

export const testHistoryStore = (run: Run) => {
  /** A test's history, if the account has it and links its repository. */
  const viewOf = async (tx: Transaction, account: string, history: TestHistory | undefined) => {
    if (history?.accountId !== account) return undefined
    const repository = await linkedById(tx, history.repositoryId)
    return repository && { test: history, repository }
  }

  return TestHistoryStore.of({
    loadForRun: ({ branch, ciRun, repositoryId, testId }) =>
      run(async (tx) => ({
        all: Option.fromUndefinedOr(await findHistory(tx, { testId })),
        branch: Option.fromUndefinedOr(branch === undefined ? undefined : await findHistory(tx, { testId, branch })),
        ciRun: Option.fromUndefinedOr(await ciRuns.find(tx, repositoryId, ciRun)),
        quarantine: Option.fromUndefinedOr(await quarantines.find(tx, testId))
      })),
    storedRuns: (testId, { bytes, limit }) =>
      run((tx) =>
        take(
          limit,
          walk(tx, { ...below("testRuns", testId), reverse: true }),
          ({ value }) => runs.find(tx, value),
          weighing(bytes, ({ metadataBytes }) => metadataBytes ?? 0)
        )
      ),
    room: (repository, limit) =>
      run(async (tx) => {
        const tests = await take(limit, testsOf(tx, repository, undefined), (entry) => historyAt(tx, entry))
        const single =
          tests.length < limit
            ? undefined
            : await take(
                1,
                walk(tx, { ...below("testsOf", repository, branchKey(undefined)), reverse: false }),
                async (entry) => {
                  const history = await historyAt(tx, entry)
                  return history?.summary.runs === 1 ? history : undefined
                }
              )
        return { tests: tests.length, oldestSingle: Option.fromUndefinedOr(single?.[0]?.testId) }
      }),
    list: ({
      account,
      filter: { app, branch, device, flakySince, status, tag, words },
      limit,
      order,
      repository: key
    }) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return Option.none()
        const isAsked = (history: TestHistory) => {
          const { lastFlakyAt, lastStatus, p95Ms } = history
          return (
            (words === undefined || contain(textsOf(history), words)) &&
            (app === undefined || history.app === app) &&
            (status === undefined || lastStatus === status) &&
            (flakySince === undefined ||
              (lastFlakyAt !== undefined && DateTime.isGreaterThanOrEqualTo(lastFlakyAt, flakySince))) &&
            (order.by === "newest" || p95Ms !== undefined)
          )
        }
        const find = async (entry: Entry) => {
          const history = await historyAt(tx, entry)
          if (history === undefined || !isAsked(history)) return undefined
          if (tag === undefined && device === undefined) return history
          const last = await runs.find(tx, history.summary.lastRunId)
          const fits =
            (tag === undefined || last?.tags?.includes(tag) === true) &&
            (device === undefined || last?.device?.name === device)
          return fits ? history : undefined
        }
        if (order.by === "slowest") {
          const all = await take(Infinity, testsOf(tx, repository.id, branch), find)
          return Option.some(all.toSorted(slowestFirst).slice(0, limit).map(withoutResults))
        }
        const { from, to } = below("testsOf", repository.id, branchKey(branch))
        const after =
          order.after &&
          keyOf("testsOf", repository.id, branchKey(branch), timeKey(order.after.lastRunAt), order.after.testId)
        const histories = await take(limit, walk(tx, { from, to: after ?? to, reverse: true }), find)
        return Option.some(histories.map(withoutResults))
      }),
    find: (account, testId, branch) =>
      run(async (tx) => Option.fromUndefinedOr(await viewOf(tx, account, await findHistory(tx, { testId, branch })))),
    findEach: (account, testIds, branch) =>
      run(async (tx) => {
        const histories: Array<TestHistory> = []
        for (const testId of testIds) {
          const view = await viewOf(tx, account, await findHistory(tx, { testId, branch }))
          if (view !== undefined) histories.push(view.test)
        }
        return histories
      }),
    branchesOf: (account, testId, limit) =>
      run(async (tx) => {
        const histories = await take(
          Infinity,
          walk(tx, { ...below("testHistory", testId), reverse: false }),
          async ({ key }) => (await viewOf(tx, account, await testHistories.find(tx, ...key.split("/").slice(1))))?.test
        )
        return histories
          .toSorted((a, b) => DateTime.toEpochMillis(b.lastRunAt) - DateTime.toEpochMillis(a.lastRunAt))
          .flatMap(({ branch }) => branch ?? [])
          .slice(0, limit)
      }),
    ciRuns: ({ account, after, branch, limit, repository: key }) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return Option.none()
        const { from, to } = below("ciRunsOf", repository.id)
        const before = after && keyOf("ciRunsOf", repository.id, timeKey(after.startedAt), after.ciRun)
        const ciRuns = await take(limit, walk(tx, { from, to: before ?? to, reverse: true }), async (entry) => {
          const ciRun = await ciRunAt(tx, entry)
          return branch === undefined || ciRun?.branch === branch ? ciRun : undefined
        })
        return Option.some(ciRuns)
      }),
    searchTests: (account, { devices, words }, limit) =>
      run(async (tx) => {
        const matches = await take(
          Infinity,
          walk(tx, { ...below("historiesOf", account), reverse: false }),
          async (entry) => {
            const view = entry.key.endsWith("/all") ? await viewOf(tx, account, await historyAt(tx, entry)) : undefined
            if (view === undefined) return undefined
            const last = devices ? await runs.find(tx, view.test.summary.lastRunId) : undefined
            return contain([...textsOf(view.test), last?.device?.name], words) ? view : undefined
          }
        )
        return matches
          .map(({ repository, test }) => ({ repository, test: withoutResults(test) }))
          .toSorted((a, b) => DateTime.toEpochMillis(b.test.lastRunAt) - DateTime.toEpochMillis(a.test.lastRunAt))
          .slice(0, limit)
      }),
    searchCiRuns: (account, by, limit) =>
      run(async (tx) => {
        const fits = ({ author, branch, commitMessage, commitSha, pr, source }: CiRun): boolean =>
          "words" in by
            ? contain([source, branch, author, commitMessage], by.words)
            : "pr" in by
              ? pr === by.pr
              : "commit" in by
                ? commitSha?.startsWith(by.commit) === true
                : branch === by.branch
        const matches = await take(
          Infinity,
          walk(tx, { ...below("ciRunsOfAccount", account), reverse: false }),
          async (entry) => {
            const ciRun = await ciRunAt(tx, entry)
            if (ciRun === undefined || !fits(ciRun)) return undefined
            const repository = await linkedById(tx, ciRun.repositoryId)
            return repository && { ciRun, repository }
          }
        )
        return matches
          .toSorted((a, b) => DateTime.toEpochMillis(b.ciRun.startedAt) - DateTime.toEpochMillis(a.ciRun.startedAt))
          .slice(0, limit)
      }),
    findCiRun: (account, key, ciRun) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        return Option.fromUndefinedOr(repository && (await ciRuns.find(tx, repository.id, ciRun)))
      }),
    saveImports: (ciRun, event) =>
      run.commit(async (tx) => {
        const stored = await ciRuns.find(tx, ciRun.repositoryId, ciRun.ciRun)
        const { finishesAt, imports, importsVersion } = ciRun
        if (stored !== undefined && (stored.importsVersion ?? 0) + 1 !== importsVersion) return false
        if (stored !== undefined) await removeCiRun(tx, stored)
        await putCiRun(
          tx,
          stored === undefined
            ? ciRun
            : {
                ...Struct.omit(stored, ["finishesAt"]),
                ...withoutUndefined({ imports, importsVersion, finishesAt })
              }
        )
        await post(tx, event)
        return true
      }),
    unfinished: ({ limit, until }) =>
      run(async (tx) => {
        const { from } = below("ciRunsUnfinished")
        const { to } = below("ciRunsUnfinished", timeKey(until))
        return take(limit, walk(tx, { from, to, reverse: false }), async (entry) => {
          const ciRun = await ciRunAt(tx, entry)
          const repository = ciRun && (await repositories.find(tx, ciRun.repositoryId))
          return ciRun && repository && { ciRun, repository }
        })
      }),
    finish: ({ ciRun: { ciRun, finishesAt, repositoryId }, event }) =>
      run(async (tx) => {
        const stored = await ciRuns.find(tx, repositoryId, ciRun)
        if (stored?.finishesAt === undefined || finishesAt === undefined) return false
        if (!DateTime.Equivalence(stored.finishesAt, finishesAt)) return false
        await removeCiRun(tx, stored)
        await putCiRun(tx, { ...Struct.omit(stored, ["finishesAt"]), importsVersion: (stored.importsVersion ?? 0) + 1 })
        await post(tx, event)
        return true
      }),
    branches: (account, key) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return []
        const newest = await take(
          ciRunWindow,
          walk(tx, { ...below("ciRunsOf", repository.id), reverse: true }),
          (entry) => ciRunAt(tx, entry)
        )
        const branches = new Map<string, BranchOfRuns>()
        for (const { branch, startedAt } of newest) {
          if (branch === undefined) continue
          const known = branches.get(branch)
          branches.set(branch, { branch, ciRuns: (known?.ciRuns ?? 0) + 1, lastAt: known?.lastAt ?? startedAt })
        }
        return [...branches.values()]
      })
  })
}
