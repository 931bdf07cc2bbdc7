import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { toTestRunRecord } from "../../core/api/testRuns/responses.ts"
import { Settings } from "../../core/service/Settings.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import type { PageContext } from "./pages/layout.ts"
import { linkEndedPage, notFoundPage, unavailablePage } from "./pages/message.ts"
import { previewPage } from "./pages/preview.ts"
import { runPage } from "./pages/run.ts"
import { shownPreview } from "./previews.ts"
import { runPreview } from "./runs.ts"
import { Scripts } from "./scripts.ts"
import { Site } from "./site.ts"

/**
 * A preview as it is shown through a link: the URLs of its objects are those of the link, as their lasting ones ask for a
 * key, and whose it is is left out.
 */
const throughLink = ({ metadata, openings }: Effect.Success<ReturnType<typeof shownPreview>>, origin: string) => {
  const opened = <A extends { readonly url?: string }>({ url, ...rest }: A) => {
    const place = url === undefined ? undefined : /\/previews\/[^/]+\/(.*)$/.exec(url)?.[1]
    return openings === undefined || place === undefined
      ? rest
      : { ...rest, url: new URL(openings.objectsPath, origin).href + place }
  }
  const { bundle, files, recordings } = metadata
  return {
    metadata: { ...metadata, bundle: opened(bundle), files: files.map(opened), recordings: recordings.map(opened) },
    openings
  }
}

/** What a share link opens, read-only, for whoever has it. Nothing tells whose it is, and nothing leads further. */
const show = Effect.gen(function* () {
  const links = yield* ShareLinks
  const runs = yield* TestRuns
  const { viewerUrl } = yield* Settings
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const site = yield* Site
  const context: PageContext = {
    site,
    scripts: yield* Scripts,
    host: headers["host"],
    shared: true
  }
  const { secret = "" } = yield* HttpRouter.params

  return yield* Effect.gen(function* () {
    const { accountId, id, shared } = yield* links.open(secret)
    const account = { id: accountId, name: "" }
    const by = { share: id }
    if ("preview" in shared) {
      const { metadata, openings } = throughLink(yield* shownPreview(account, by, shared.preview), site.origin)
      return previewPage(context, metadata, openings)
    }
    const view = yield* runs.read({ account }, shared.run)
    const { recorded, ...shown } = yield* runPreview(account, by, view)
    const preview = { ...throughLink(shown, site.origin), recorded }
    return runPage(context, toTestRunRecord(view.run, view.repository, viewerUrl), preview)
  }).pipe(
    Effect.catchTags({
      NotFound: () => Effect.succeed(notFoundPage(context)),
      ShareLinkEnded: () => Effect.succeed(linkEndedPage(context)),
      Unavailable: () => Effect.succeed(unavailablePage(context))
    })
  )
})

export const routes = [HttpRouter.route("GET", "/shared/:secret", show)]
