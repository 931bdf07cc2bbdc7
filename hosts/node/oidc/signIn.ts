import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { SigningSecret } from "../../../core/model/SigningSecret.ts"
import { TrustStore } from "../../../core/ports/TrustStore.ts"
import { CurrentActor } from "../../../core/service/auditing.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { makeSampledLog } from "../../../core/service/securityLog.ts"
import { canonicalAddress, clientOf, logFailure } from "../../http/RequestOrigin.ts"
import { goTo } from "../../viewer/access/goTo.ts"
import type { SignInMethod } from "../../viewer/access/signInMethod.ts"
import { Site, toLocalPath } from "../../viewer/access/site.ts"
import type { ViewerNeeds } from "../../viewer/routes.ts"
import { SessionCookie } from "../../viewer/session/sessionCookie.ts"
import { messagePage } from "../../viewer/ui/message.ts"
import { pageContext } from "../../viewer/ui/pageContext.ts"
import type { OidcSettings } from "../settings/oidcSettings.ts"
import { makeFlowCookie, useFlow } from "./flow.ts"
import { grantedTo } from "./groups.ts"
import { personKey } from "./personKey.ts"
import { makeProvider, openidClient } from "./provider.ts"
import { notUnderWay, SignInRefused, unreachable } from "./refusal.ts"

const path = "/sign-in/oidc"
const callback = `${path}/callback`

/** Sign-in by the provider that the settings name: a way for the viewer to offer beside keys. */
export const oidcSignIn = Effect.fnUntraced(function* (
  settings: OidcSettings,
  secret: SigningSecret
): Effect.fn.Return<SignInMethod<ViewerNeeds>, never, Administration | TrustStore> {
  const admin = yield* Administration
  const trusts = yield* TrustStore
  const provider = makeProvider(settings, yield* openidClient)
  const at = { issuer: settings.issuer, accounts: [...new Set(settings.grants.map(({ account }) => account))] }

  const log = makeSampledLog()

  const refused = ({ detail, reason, status }: SignInRefused) =>
    Effect.gen(function* () {
      if (status < 500) yield* logFailure("oidc_sign_in")
      const { remoteAddress } = yield* HttpServerRequest.HttpServerRequest
      yield* log(clientOf(canonicalAddress(remoteAddress)), () =>
        Effect.logWarning(`A sign-in was refused: ${detail} (${reason})`)
      )
      return messagePage(yield* pageContext, {
        title: "Not signed in",
        text: detail,
        status,
        link: { to: "/sign-in", label: "To the sign-in" }
      })
    })

  const lead = Effect.gen(function* () {
    const site = yield* Site
    const { to } = yield* HttpServerRequest.ParsedSearchParams
    const { flow, url } = yield* provider.begin(
      site.url + callback,
      toLocalPath(typeof to === "string" ? to : undefined)
    )
    const leading = HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } })
    return yield* makeFlowCookie(site, secret).keep(leading, flow)
  })

  const keyOf = Effect.fnUntraced(function* (answer: URL, flow: Parameters<typeof provider.complete>[1]) {
    const person = yield* provider.complete(answer, flow)
    const granted = grantedTo(settings.grants, person.groups)
    if (granted === undefined) {
      return yield* new SignInRefused({
        status: 403,
        detail:
          "The provider knows you, but none of your groups has an account here. Ask its administrator to add you to a group that has one, or the operator of Slipway to add yours to SLIPWAY_OIDC_ACCOUNTS.",
        reason: `the claim ${settings.groupsClaim} has ${person.groups.length} groups`
      })
    }
    return yield* personKey(person, granted, at).pipe(
      Effect.provideService(Administration, admin),
      Effect.provideService(CurrentActor, { actor: { administrator: `sign-in by ${settings.issuer}` } }),
      Effect.catchTags({
        AdministrationRefused: ({ message }) =>
          Effect.fail(
            new SignInRefused({
              status: 403,
              detail: `The account ${granted.account} of your group does not exist. Ask the operator of Slipway to run: slipway account create ${granted.account}`,
              reason: message
            })
          ),
        Unavailable: ({ detail }) => Effect.fail(unreachable(detail))
      })
    )
  })

  const comeBack = Effect.gen(function* () {
    const site = yield* Site
    const cookie = yield* SessionCookie
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const flows = makeFlowCookie(site, secret)
    const flow = yield* flows.flow
    const answer = new URL(site.url + callback)
    answer.search = new URL(url, "http://viewer").search
    const entered = Effect.gen(function* () {
      if (flow === undefined) return yield* notUnderWay("the browser has no sign-in under way")
      if (answer.searchParams.get("state") !== flow.state) return yield* notUnderWay("the state differs")
      const isFirst = yield* useFlow(flow).pipe(
        Effect.provideService(TrustStore, trusts),
        Effect.mapError(({ detail }) => unreachable(detail))
      )
      if (!isFirst) return yield* notUnderWay("the sign-in was used already")
      const holder = yield* keyOf(answer, flow)
      return yield* cookie
        .begin(goTo(site, flow.to), holder, settings.sessionLife)
        .pipe(Effect.catchTag("Unavailable", ({ detail }) => Effect.fail(unreachable(detail))))
    })
    return flows.drop(yield* Effect.catchTag(entered, "SignInRefused", refused))
  })

  return {
    name: new URL(settings.issuer).host,
    path,
    routes: [
      HttpRouter.route("GET", path, Effect.catchTag(lead, "SignInRefused", refused)),
      HttpRouter.route("GET", callback, comeBack)
    ]
  }
})
