import { DateTime, Effect } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { BuildId } from "../model/Build.ts"
import { subjectOf } from "../model/Resource.ts"
import type { ShareId } from "../model/Preview.ts"
import type { TestRunId } from "../model/TestRun.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { buildText, previewText } from "../rules/audit.ts"
import { makeAuditing } from "./auditing.ts"
import { retryOnConflict } from "./retryOnConflict.ts"
import { makeHistories } from "./histories.ts"
import { makeNewRemovals } from "./newRemovals.ts"
import { orNotFound } from "./orNotFound.ts"

/** Deletes a build of an account with its uploads, and answers the removals that were stored with that. */
export const makeCommitBuildDeletion = Effect.gen(function* () {
  const store = yield* BuildStore
  const newRemovals = yield* makeNewRemovals
  const auditing = yield* makeAuditing
  return (account: AccountId, id: BuildId) =>
    retryOnConflict(
      Effect.gen(function* () {
        const { build, reservations } = yield* Effect.flatMap(store.loadForDelete(account, id), orNotFound)
        const removals = yield* newRemovals(reservations)
        yield* auditing(
          {
            action: "build.deleted",
            accountId: account,
            at: yield* DateTime.now,
            subject: subjectOf({ build: id }),
            detail: buildText(build)
          },
          store.commitDelete({ build, removals })
        )
        return removals
      })
    )
})

/** Deletes a preview of an account, and answers the removals that were stored with that. */
export const makeCommitPreviewDeletion = Effect.gen(function* () {
  const store = yield* PreviewStore
  const newRemovals = yield* makeNewRemovals
  const auditing = yield* makeAuditing
  return (account: AccountId, shareId: ShareId) =>
    retryOnConflict(
      Effect.gen(function* () {
        const preview = yield* Effect.flatMap(store.findByShareId(account, shareId), orNotFound)
        const removals = yield* newRemovals([preview])
        yield* auditing(
          {
            action: "preview.deleted",
            accountId: account,
            at: yield* DateTime.now,
            subject: subjectOf({ preview: shareId }),
            detail: previewText(preview.declaration)
          },
          store.commitDelete({ preview, removals })
        )
        return removals
      })
    )
})

/** Deletes a run of an account. */
export const makeCommitRunDeletion = Effect.gen(function* () {
  const store = yield* TestRunStore
  const histories = yield* makeHistories
  const auditing = yield* makeAuditing
  return (account: AccountId, id: TestRunId) =>
    retryOnConflict(
      Effect.gen(function* () {
        const { run } = yield* Effect.flatMap(store.find(account, id), orNotFound)
        const history = yield* histories.withoutRun(run)
        yield* auditing(
          {
            action: "run.deleted",
            accountId: account,
            at: yield* DateTime.now,
            subject: subjectOf({ run: id }),
            detail: run.name ?? run.prompt
          },
          store.commitDelete(run, history)
        )
      })
    )
})
