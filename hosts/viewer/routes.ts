import { Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { SigningSecret } from "../../core/model/SigningSecret.ts"
import type { Problem } from "../../core/model/Problem.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Changes } from "../../core/service/Changes.ts"
import { Builds } from "../../core/service/Builds.ts"
import { Overview } from "../../core/service/Overview.ts"
import { RetentionHolds } from "../../core/service/RetentionHolds.ts"
import { Quarantines } from "../../core/service/Quarantines.ts"
import { Previews } from "../../core/service/Previews.ts"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { Search } from "../../core/service/Search.ts"
import { Usage } from "../../core/service/Usage.ts"
import { Settings } from "../../core/service/Settings.ts"
import { Sessions } from "../../core/service/Sessions.ts"
import { ShareLinks } from "../../core/service/ShareLinks.ts"
import { TestHistories } from "../../core/service/TestHistories.ts"
import { TestRuns } from "../../core/service/TestRuns.ts"
import { AuditEntries } from "../../core/service/AuditEntries.ts"
import { OwnAccount } from "../../core/service/OwnAccount.ts"
import * as KeyPages from "./account/keys.ts"
import * as OwnRepositories from "./account/repositories.ts"
import * as RetentionPage from "./account/retention.ts"
import * as WebhookPages from "./account/webhooks.ts"
import * as AppComparison from "./pages/appComparison.ts"
import * as AuditPages from "./account/audit.ts"
import * as BranchState from "./repositories/branchState.ts"
import * as BuildPages from "./pages/builds.ts"
import { Capabilities } from "./access/capability.ts"
import * as ChangeStream from "./pages/changes.ts"
import * as ComparePage from "./runs/compare.ts"
import { atItsHost } from "./content/contentPolicy.ts"
import * as Deletions from "./pages/deletions.ts"
import * as Files from "./pages/files.ts"
import * as Home from "./pages/home.ts"
import * as Nowhere from "./session/notFound.ts"
import * as Objects from "./content/objects.ts"
import * as KeepForms from "./pages/keep.ts"
import * as PreviewPages from "./pages/previews.ts"
import * as ProgramPage from "./pages/programs.ts"
import * as Replay from "./replay/replayDocuments.ts"
import * as QuarantineForms from "./runs/quarantine.ts"
import * as RepositoryPages from "./repositories/repository.ts"
import * as RunPages from "./runs/runs.ts"
import * as SearchPage from "./pages/search.ts"
import * as SourcePage from "./runs/source.ts"
import * as TestPages from "./runs/tests.ts"
import * as UsagePage from "./account/usage.ts"
import * as Shared from "./shared.ts"
import * as QrCodes from "./pages/qr.ts"
import * as Shares from "./pages/shares.ts"
import * as AssetRoutes from "./ui/document.ts"
import { Assets } from "./ui/document.ts"
import { SessionCookie } from "./session/sessionCookie.ts"
import * as SessionPages from "./session/sessions.ts"
import { routesOf as ownSignIn } from "./session/ownSignIn.ts"
import * as SignIn from "./session/signIn.ts"
import { Programs, Site } from "./access/site.ts"
import { OtherSignIn, OwnSessions, type SignInMethod } from "./access/ownSessions.ts"
import { OwnAuthenticate } from "../http/authenticate.ts"

const needs = [
  AuditEntries,
  Authorization,
  Builds,
  Changes,
  OwnAccount,
  RetentionHolds,
  Previews,
  Quarantines,
  TestRuns,
  TestHistories,
  Settings,
  Capabilities,
  SessionCookie,
  Sessions,
  Assets,
  Site,
  Overview,
  ShareLinks,
  RateLimits,
  Search,
  Usage
] as const

/** What the routes of the viewer may use. */
export type ViewerNeeds = Context.Service.Identifier<(typeof needs)[number]>

/**
 * The pages behind `url`, `previewUrl` and `traceUrl`, and the replay of builds and previews, for a host to mount beside the API. `secret`
 * signs the URLs of replays; every host of a deployment needs the same. `sessions` replaces the sign-in with a key by your own;
 * `signInWay` is offered beside it.
 */
export const layer = (options: {
  readonly secret: SigningSecret
  readonly sessions?: OwnSessions | undefined
  readonly signInWay?: SignInMethod<ViewerNeeds> | undefined
}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const context = yield* Effect.context<ViewerNeeds>()
      // The context also has the scope of the layer. What a request opens has to close with the request, so only services are
      // passed.
      const services = Context.pick(...needs)(context).pipe(
        Context.add(OwnAuthenticate, yield* OwnAuthenticate),
        Context.add(OwnSessions, options.sessions),
        Context.add(OtherSignIn, options.signInWay),
        Context.add(Programs, yield* Programs)
      )
      const signIn =
        options.sessions === undefined ? [...SignIn.routes, ...SessionPages.routes] : ownSignIn(options.sessions)
      const routes: ReadonlyArray<HttpRouter.Route<Problem, ViewerNeeds | HttpRouter.Provided>> = [
        ...Home.routes,
        ...signIn,
        ...(options.signInWay?.routes ?? []),
        ...AppComparison.routes,
        ...AuditPages.routes,
        ...KeyPages.routes,
        ...OwnRepositories.routes,
        ...RetentionPage.routes,
        ...WebhookPages.routes,
        ...BranchState.routes,
        ...BuildPages.routes,
        ...ChangeStream.routes,
        ...PreviewPages.routes,
        ...ProgramPage.routes,
        ...QuarantineForms.routes,
        ...RepositoryPages.routes,
        ...RunPages.routes,
        ...TestPages.routes,
        ...UsagePage.routes,
        ...SearchPage.routes,
        ...SourcePage.routes,
        ...ComparePage.routes,
        ...Files.routes,
        ...Objects.routes,
        ...Replay.routes,
        ...AssetRoutes.routes,
        ...Shared.routes,
        ...Shares.routes,
        ...QrCodes.routes,
        ...Deletions.routes,
        ...KeepForms.routes,
        ...Nowhere.routes
      ]
      return HttpRouter.addAll(
        routes.map((route) =>
          HttpRouter.route(route.method, route.path, Effect.provideContext(atItsHost(route.handler), services))
        )
      )
    })
  ).pipe(
    Layer.provide([SessionCookie.layer, Capabilities.layer(options), Assets.layer]),
    Layer.provide(Site.layer),
    Layer.provide(Layer.succeed(OwnSessions, options.sessions))
  )
