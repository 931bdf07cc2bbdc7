import { Effect, Option } from "effect"
import type { TestRun, TestRunView } from "../../core/model/TestRun.ts"
import { Conflict } from "../../core/ports/Conflict.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { RunFilter } from "../../core/ports/TestRunStore.ts"
import { compareRuns } from "../../core/rules/testRuns.ts"
import { isFirst, keepAnswer } from "./idempotency.ts"
import { post } from "./outbox.ts"
import { linkedRepository } from "./state.ts"
import type { State } from "./state.ts"

const passes = (run: TestRun, { branch, kind, pr, source, status }: RunFilter): boolean =>
  (branch === undefined || run.branch === branch) &&
  (kind === undefined || run.kind === kind) &&
  (status === undefined || run.status === status) &&
  (source === undefined || run.source === source) &&
  (pr === undefined || run.pr === pr)

export const testRunStore = (state: State) =>
  TestRunStore.of({
    loadForRegister: (account, key, shareId) =>
      Effect.sync(() => {
        const preview = state.previews.get(shareId)
        return {
          repository: Option.fromUndefinedOr(linkedRepository(state, account, key)),
          preview: preview?.accountId === account ? Option.some(preview) : Option.none()
        }
      }),
    insert: ({ event, once, run }) =>
      Effect.suspend(() => {
        if (!isFirst(state, once)) return Effect.fail(new Conflict())
        state.runs.set(run.id, run)
        keepAnswer(state, once)
        post(state, event)
        return Effect.void
      }),
    find: (account, id) =>
      Effect.sync(() => {
        const run = state.runs.get(id)
        const link = run && state.links.get(run.repositoryId)
        return run?.accountId === account && link?.linked === true
          ? Option.some<TestRunView>({ run, repository: link.repository })
          : Option.none()
      }),
    list: ({ account, after, filter, limit, repository: key }) =>
      Effect.sync(() => {
        const repository = linkedRepository(state, account, key)
        if (repository === undefined) return Option.none()
        const runs = Array.from(state.runs.values())
          .filter((run) => run.repositoryId === repository.id && passes(run, filter))
          .filter((run) => Option.match(after, { onNone: () => true, onSome: (place) => compareRuns(run, place) > 0 }))
        return Option.some(
          runs
            .toSorted(compareRuns)
            .slice(0, limit)
            .map((run) => ({ run, repository }))
        )
      })
  })
