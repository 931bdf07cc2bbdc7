import { Option } from "effect"
import type { RunCursor, TestRun, TestRunView } from "../../core/model/TestRun.ts"
import { testIdOf } from "../../core/rules/testRuns.ts"
import { TestRunStore, type RunFilter } from "../../core/ports/TestRunStore.ts"
import { weighing } from "../../core/rules/pages.ts"
import { recordEntry } from "./auditLog.ts"
import { isFirst, storeResponse } from "./accounts.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import { below, keyOf, previews, runs, take, timeKey, walk } from "./tables.ts"
import { linkedById, linkedRepository } from "./repositories.ts"
import { post } from "./outbox.ts"
import { storeHistory } from "./testHistories.ts"
import { endLinks } from "./shareLinks.ts"
import { countMetadata, countRun, isWithin } from "./reservations.ts"

/** A run's place in a list: by time, then by id. */
const positionOf = ({ createdAt, id }: RunCursor): ReadonlyArray<string> => [timeKey(createdAt), id]

/** The lists that hold a run, by the parts with which the keys of each begin. */
export const runLists = {
  repository: ({ repositoryId }: Pick<TestRun, "repositoryId">) => ["repositoryRuns", repositoryId],
  account: ({ accountId }: Pick<TestRun, "accountId">) => ["accountRuns", accountId],
  preview: ({ accountId, previewShareId }: Pick<TestRun, "accountId" | "previewShareId">) => [
    "previewRuns",
    accountId,
    previewShareId
  ],
  test: (run: Parameters<typeof testIdOf>[0]) => ["testRuns", testIdOf(run)]
}

/** The bounds of the runs of a list that come after one, newest first: of the older ones. */
export const older = (list: ReadonlyArray<string>, than: RunCursor) => ({
  from: below(...list).from,
  to: keyOf(...list, ...positionOf(than))
})

/** The bounds of the runs of a list that are newer than one. */
export const newer = (list: ReadonlyArray<string>, than: RunCursor) => ({
  from: `${keyOf(...list, ...positionOf(than))}\0`,
  to: below(...list).to
})

/** A run as it is read: the account's own, of a repository that it links now. */
export const runView = async (tx: Transaction, account: string, id: string): Promise<TestRunView | undefined> => {
  const run = await runs.find(tx, id)
  if (run === undefined || run.accountId !== account) return undefined
  const repository = await linkedById(tx, run.repositoryId)
  return repository && { run, repository }
}

const passes = (run: TestRun, { app, branch, ciRun, commitSha, kind, pr, source, status }: RunFilter): boolean =>
  (branch === undefined || run.branch === branch) &&
  (commitSha === undefined || run.commitSha === commitSha) &&
  (kind === undefined || run.kind === kind) &&
  (status === undefined || run.status === status) &&
  (source === undefined || run.source === source) &&
  (ciRun === undefined || run.source?.split("/", 1)[0] === ciRun) &&
  (pr === undefined || run.pr === pr) &&
  (app === undefined || run.app === app)

/** Stores a new run. */
export const insertRun = async (tx: Transaction, run: TestRun): Promise<void> => {
  await runs.put(tx, run, run.id)
  for (const listOf of Object.values(runLists)) await tx.set(keyOf(...listOf(run), ...positionOf(run)), run.id)
  await countRun(tx, run)
}

/** Removes a run and the links to it. */
export const removeRun = async (tx: Transaction, run: TestRun): Promise<void> => {
  await runs.remove(tx, run.id)
  await countMetadata(tx, run, -1)
  for (const listOf of Object.values(runLists)) await tx.remove(keyOf(...listOf(run), ...positionOf(run)))
  await endLinks(tx, run.accountId, { run: run.id })
}

export const testRunStore = (run: Run) =>
  TestRunStore.of({
    loadForRegister: (account, key, shareId) =>
      run(async (tx) => {
        const preview = await previews.find(tx, shareId)
        return {
          repository: Option.fromUndefinedOr(await linkedRepository(tx, account, key)),
          preview: preview?.accountId === account ? Option.some(preview) : Option.none()
        }
      }),
    insert: ({ entry, events = [], history, once, run: inserted, within }) =>
      run.commit(async (tx) => {
        if (!(await isFirst(tx, once))) return false
        if (!(await isWithin(tx, inserted.accountId, inserted.createdAt, within))) return false
        if (!(await storeHistory(tx, history))) return false
        await insertRun(tx, inserted)
        await storeResponse(tx, once)
        for (const event of events) await post(tx, event)
        await recordEntry(tx, entry)
        return true
      }),
    commitDelete: ({ accountId, id }, history) =>
      run.commit(async (tx) => {
        const stored = await runs.find(tx, id)
        if (stored?.accountId !== accountId) return false
        if (!(await storeHistory(tx, history))) return false
        await removeRun(tx, stored)
        return true
      }),
    find: (account, id) => run(async (tx) => Option.fromUndefinedOr(await runView(tx, account, id))),
    list: ({ account, after, bytes, filter, limit, repository: key }) =>
      run(async (tx) => {
        const repository = await linkedRepository(tx, account, key)
        if (repository === undefined) return Option.none()
        const list = runLists.repository({ repositoryId: repository.id })
        const bounds = Option.match(after, { onNone: () => below(...list), onSome: (last) => older(list, last) })
        const page = await take(
          limit,
          walk(tx, { ...bounds, reverse: true }),
          async ({ value }) => {
            const one = await runs.find(tx, value)
            return one !== undefined && passes(one, filter) ? { run: one, repository } : undefined
          },
          weighing(bytes, ({ run }) => run.metadataBytes ?? 0)
        )
        return Option.some(page)
      })
  })
