import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { callHook } from "../../http/authenticate.ts"
import type { OwnSessions } from "../access/ownSessions.ts"
import { toLocalPath } from "../access/site.ts"
import { pageContext, problemPage } from "../ui/layout.ts"
import { fromOwnPage } from "./forms.ts"
import { redirectToSignIn, webRequest } from "./account.ts"

const signIn = Effect.gen(function* () {
  const context = yield* pageContext
  const { to } = yield* HttpServerRequest.ParsedSearchParams
  return yield* redirectToSignIn(context, toLocalPath(typeof to === "string" ? to : undefined)).pipe(
    Effect.catchTag("Unavailable", (problem) => problemPage(context, problem))
  )
})

const signOutOf = ({ signOut }: OwnSessions) =>
  Effect.gen(function* () {
    const context = yield* pageContext
    const request = yield* webRequest
    return yield* callHook("sessions.signOut", Schema.instanceOf(Response), () => signOut(request)).pipe(
      Effect.map(HttpServerResponse.fromWeb),
      Effect.catchTag("Unavailable", (problem) => problemPage(context, problem))
    )
  })

/** Replaces the viewer's sign-in: leads to the embedder's, and hands it requests to sign out. */
export const routesOf = (own: OwnSessions) => [
  HttpRouter.route("GET", "/sign-in", signIn),
  HttpRouter.route("POST", "/sign-out", fromOwnPage(signOutOf(own)))
]
