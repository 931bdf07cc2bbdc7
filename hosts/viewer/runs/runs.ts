import { Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import type { Caller, Reader } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { TestRunId, type TestRunView } from "../../../core/model/TestRun.ts"
import { toCursor } from "../../../core/rules/pages.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { rightOf, type By, type Visitor } from "../access/capability.ts"
import { runPage } from "./runPage.ts"
import { shownPreview } from "../content/shownPreview.ts"
import { recordedSteps } from "../trace/recorded/recordedSteps.ts"

/** How many of a repository's latest runs are searched for ones of the same name, and how many of those are offered. */
const earlierRuns = { looked: 100, shown: 20 }

const nameOf = ({ run }: TestRunView): string | undefined => run.name ?? run.prompt

/** The runs beside one, of the same repository and name. */
const runsNearby = Effect.fnUntraced(function* (caller: Caller, view: TestRunView) {
  const overview = yield* Overview
  const runs = yield* TestRuns
  const { repository, run } = view
  const before = runs
    .list(caller, {
      ...repository,
      filter: { kind: run.kind },
      limit: earlierRuns.looked,
      cursor: toCursor(run)
    })
    .pipe(Effect.catchTag("InvalidRequest", Effect.die))
  const { earlier, neighbours } = yield* Effect.all(
    { earlier: before, neighbours: overview.neighbours(caller, run.id) },
    { concurrency: "unbounded" }
  )
  return {
    previous: Option.getOrUndefined(neighbours.previous),
    next: Option.getOrUndefined(neighbours.next),
    earlier: earlier.runs.filter((other) => nameOf(other) === nameOf(view)).slice(0, earlierRuns.shown)
  }
})

/** What a run shows of its preview, or that it was deleted: a run stays when its preview is. */
export const orDeleted = <A, E, R>(shown: Effect.Effect<A, E | NotFound, R>) =>
  Effect.catchIf(
    shown,
    (error) => error instanceof NotFound,
    () => Effect.succeed("deleted" as const)
  )

/** The preview of a run as {@link shownPreview} returns it, with the steps from its events. */
export const runPreview = Effect.fnUntraced(function* (
  account: Reader["account"],
  by: By,
  { run }: TestRunView,
  sharedAt?: string
) {
  const shown = yield* shownPreview(account, by, run.previewShareId, sharedAt)
  return { ...shown, recorded: yield* recordedSteps(shown.preview) }
})

/** Like {@link runPreview}, but `"deleted"` when the preview was, and nothing for a key that may not see previews. */
export const runPreviewFor = Effect.fnUntraced(function* (caller: Visitor, view: TestRunView) {
  const shown = caller.scopes.includes("preview_upload")
    ? runPreview(caller.account, rightOf(caller), view)
    : Effect.as((yield* Previews).read(caller, view.run.previewShareId), undefined)
  return yield* orDeleted(shown)
})

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const runs = yield* TestRuns
    const view = yield* runs.read(caller, TestRunId.make(yield* idInPath))
    const { linked, nearby, preview, tests } = yield* Effect.all(
      {
        linked: (yield* Overview).repository(caller, view.repository),
        nearby: runsNearby(caller, view),
        preview: runPreviewFor(caller, view),
        tests: runs.attempts(caller, [view])
      },
      { concurrency: "unbounded" }
    )
    return runPage(context, { ...view, repository: linked }, preview, { ...nearby, attempts: tests[0] ?? [view] })
  })
)

export const routes = [HttpRouter.route("GET", "/runs/:id", show)]
