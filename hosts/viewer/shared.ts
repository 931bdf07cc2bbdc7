import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../core/model/Problem.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { buildPage, runningBuild } from "./pages/builds.ts"
import { shownBuild, shownPreview } from "./content/shown.ts"
import { paths } from "./access/site.ts"
import { forShared, sharedBy } from "./session/account.ts"
import { previewPage, runningPreview } from "./pages/previews.ts"
import { embedPage } from "./replay/replayPage.ts"
import { badgeOf } from "./repositories/branchState.ts"
import { orDeleted, runPage, runPreview } from "./runs/runs.ts"

const show = forShared(
  Effect.fnUntraced(function* (context, secret) {
    const runs = yield* TestRuns
    const { accountId, id, shared } = yield* sharedBy(secret)
    const account = { id: accountId }
    const by = { share: id }
    const sharedAt = paths.shared(secret)
    if ("build" in shared) return buildPage(context, yield* shownBuild({ account }, by, shared.build))
    if ("preview" in shared) return previewPage(context, yield* shownPreview(account, by, shared.preview, sharedAt))
    if ("badge" in shared) return yield* badgeOf({ account }, shared.badge)
    const view = yield* runs.read({ account }, shared.run)
    return runPage(context, view, yield* orDeleted(runPreview(account, by, view, sharedAt)))
  })
)

/** The app of what a share link opens, alone. */
const showEmbedded = forShared(
  Effect.fnUntraced(function* (context, secret) {
    const { accountId, id, shared } = yield* sharedBy(secret)
    const account = { id: accountId }
    const by = { share: id }
    const sharedAt = paths.shared(secret)
    if ("build" in shared) {
      return yield* embedPage(context, sharedAt, runningBuild(yield* shownBuild({ account }, by, shared.build)))
    }
    if ("badge" in shared) return yield* NotFound.default
    const preview =
      "preview" in shared ? shared.preview : (yield* (yield* TestRuns).read({ account }, shared.run)).run.previewShareId
    return yield* embedPage(context, sharedAt, runningPreview(yield* shownPreview(account, by, preview, sharedAt)))
  })
)

/** What share links open. */
export const routes = [
  HttpRouter.route("GET", "/shared/:secret", show),
  HttpRouter.route("GET", "/shared/:secret/embed", showEmbedded)
]
