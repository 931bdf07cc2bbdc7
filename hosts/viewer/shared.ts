import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { toTestRunRecord } from "../../core/api/testRuns/responses.ts"
import { Settings } from "../../core/service/Settings.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { forShared } from "./access/forShared.ts"
import { previewPage } from "./pages/preview.ts"
import { runPage } from "./pages/run.ts"
import { shownPreview } from "./previews.ts"
import { runPreview } from "./runs.ts"
import type { Site } from "./access/site.ts"

/**
 * A preview as it is shown through a link, whose page has this path: the URLs of its objects are those of the link, as
 * their lasting ones ask for a key, and whose it is is left out.
 */
export const throughLink = (
  { metadata, openings }: Effect.Success<ReturnType<typeof shownPreview>>,
  site: Site["Service"],
  path: string
) => {
  const opened = <A extends { readonly url?: string }>({ url, ...rest }: A) => {
    const place = url === undefined ? undefined : /\/previews\/[^/]+\/(.*)$/.exec(url)?.[1]
    return openings === undefined || place === undefined
      ? rest
      : { ...rest, url: new URL(openings.objectsPath, site.origin).href + place }
  }
  const { bundle, files, recordings } = metadata
  return {
    metadata: { ...metadata, bundle: opened(bundle), files: files.map(opened), recordings: recordings.map(opened) },
    openings: openings === undefined ? undefined : { ...openings, viewPath: `${site.base}${path}/view` }
  }
}

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
