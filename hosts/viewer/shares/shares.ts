import { DateTime, Duration, Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Caller, Scope } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { ShareLinkId, type Resource } from "../../../core/model/Resource.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { shareUrl } from "../../../core/rules/credentials.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { forAccount, idIn, idInPath } from "../session/account.ts"
import { goTo } from "../access/goTo.ts"
import { paths, type Path } from "../access/paths.ts"
import { fromOwnPage } from "../session/ownPage.ts"
import { withSmallForm } from "../session/smallForm.ts"
import type { PageContext } from "../ui/layout.ts"
import { lives, sharesPage } from "./sharesPage.ts"

/** One kind of resource that can be shared: the path of its page, the scope for it, and its name. */
interface Sharing {
  readonly page: (id: string) => Path
  readonly scopes: ReadonlyArray<Scope>
  readonly what: string
  readonly shared: (id: string) => Resource
}

const Form = Schema.Struct({
  seconds: Schema.FiniteFromString.check(Schema.makeFilter((value) => Object.values(lives).includes(value)))
})

const pageOf = Effect.fnUntraced(function* (
  context: PageContext,
  caller: Caller,
  { page, shared, what }: Sharing,
  id: string,
  made?: string
) {
  const shares = yield* ShareLinks
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const asked = new URL(url, "http://viewer").searchParams.get("after")
  const after = asked === null ? undefined : ShareLinkId.make(yield* idIn(asked))
  const listed = yield* shares.list(caller, shared(id), after)
  return sharesPage(context, { what, path: page(id), ...listed, after, made, now: yield* DateTime.now })
})

const routesOf = (sharing: Sharing) => {
  const { page, scopes, shared } = sharing
  const forSharer = <R>(
    act: (
      caller: Caller,
      context: PageContext,
      id: string
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound | WriteFailure, R>
  ) => forAccount(scopes, (caller, context) => Effect.flatMap(idInPath, (id) => act(caller, context, id)))

  const make = forSharer(
    Effect.fnUntraced(function* (caller, context, id) {
      const shares = yield* ShareLinks
      const { viewerUrl } = yield* Settings
      // A life that the form doesn't offer is ignored: the link then lives for the default time.
      const life = yield* HttpServerRequest.schemaBodyUrlParams(Form).pipe(
        Effect.map(({ seconds }) => Duration.seconds(seconds)),
        Effect.catchTag(["SchemaError", "HttpServerError"], () => Effect.undefined)
      )
      const { secret } = yield* Effect.catchTag(shares.create(caller, shared(id), life), "PreviewNotReady", () =>
        Effect.fail(NotFound.answer)
      )
      return yield* pageOf(context, caller, sharing, id, shareUrl(viewerUrl, secret))
    })
  )

  const revoke = forSharer(
    Effect.fnUntraced(function* (caller, context, id) {
      const shares = yield* ShareLinks
      const { link = "" } = yield* HttpRouter.params
      yield* shares.revoke(caller, shared(id), ShareLinkId.make(yield* idIn(link)))
      return goTo(context.site, paths.shares(page(id)))
    })
  )

  const show = forSharer((caller, context, id) => pageOf(context, caller, sharing, id))

  const path = paths.shares(page(":id"))
  return [
    HttpRouter.route("GET", path, show),
    HttpRouter.route("POST", path, fromOwnPage(withSmallForm(make))),
    HttpRouter.route("POST", `${path}/:link/revoke`, fromOwnPage(withSmallForm(revoke)))
  ]
}

/** The pages on which owners create, list and revoke share links. */
export const routes = [
  ...routesOf({
    page: paths.build,
    scopes: ["builds"],
    what: "this build",
    shared: (id) => ({ build: BuildId.make(id) })
  }),
  ...routesOf({
    page: paths.preview,
    scopes: ["preview_upload"],
    what: "this preview",
    shared: (id) => ({ preview: ShareId.make(id) })
  }),
  ...routesOf({
    page: paths.run,
    scopes: ["test_runs", "preview_upload"],
    what: "this run",
    shared: (id) => ({ run: TestRunId.make(id) })
  })
]
