import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { toTestRunRecord } from "../../core/api/testRuns/responses.ts"
import { Settings } from "../../core/service/Settings.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { shownPreview } from "./content/shownPreview.ts"
import { throughLink } from "./content/throughLink.ts"
import { forShared } from "./session/forShared.ts"
import { previewPage } from "./previews/previewPage.ts"
import { runPage } from "./runs/runPage.ts"
import { runPreview } from "./runs/runs.ts"

const show = forShared(
  Effect.fnUntraced(function* (context, secret) {
    const links = yield* ShareLinks
    const runs = yield* TestRuns
    const { viewerUrl } = yield* Settings
    const { accountId, id, shared } = yield* links.open(secret)
    const account = { id: accountId, name: "" }
    const by = { share: id }
    const path = `/shared/${secret}`
    if ("preview" in shared) {
      const { metadata, openings } = throughLink(yield* shownPreview(account, by, shared.preview), context.site, path)
      return previewPage(context, metadata, openings)
    }
    const view = yield* runs.read({ account }, shared.run)
    const { recorded, ...shown } = yield* runPreview(account, by, view)
    const preview = { ...throughLink(shown, context.site, path), recorded }
    return runPage(context, toTestRunRecord(view.run, view.repository, viewerUrl), preview)
  })
)

/** What share links open. */
export const routes = [HttpRouter.route("GET", "/shared/:secret", show)]
