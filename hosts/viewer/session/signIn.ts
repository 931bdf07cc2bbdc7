import { Effect, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Authorization } from "../../../core/service/Authorization.ts"
import { goTo } from "../access/goTo.ts"
import { fromOwnPage } from "./ownPage.ts"
import { withSmallForm } from "./smallForm.ts"
import { unavailablePage } from "../ui/message.ts"
import type { PageContext } from "../ui/layout.ts"
import { signInPage } from "./signInPage.ts"
import { Scripts } from "../ui/scripts.ts"
import { SessionCookie } from "./sessionCookie.ts"
import { Site, toLocalPath } from "../access/site.ts"

const SignInForm = Schema.Struct({
  key: Schema.String.check(Schema.isMaxLength(1024)),
  to: Schema.optionalKey(Schema.String)
})

/** What the page is told: it is nobody's. */
const context = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return { site: yield* Site, scripts: yield* Scripts, host: headers["host"] } satisfies PageContext
})

const form = Effect.gen(function* () {
  const { to } = yield* HttpServerRequest.ParsedSearchParams
  return signInPage(yield* context, { to: toLocalPath(typeof to === "string" ? to : undefined), status: 200 })
})

const signIn = Effect.gen(function* () {
  const shown = yield* context
  const { site } = shown
  const cookie = yield* SessionCookie
  const authorization = yield* Authorization
  const sent = yield* HttpServerRequest.schemaBodyUrlParams(SignInForm)
  const to = toLocalPath(sent.to)
  return yield* authorization.authenticate(Redacted.make(sent.key.trim())).pipe(
    Effect.flatMap((caller) => cookie.begin(goTo(site, to), caller)),
    Effect.catchTags({
      Unauthorized: () =>
        Effect.succeed(
          signInPage(shown, {
            to,
            status: 401,
            problem: "That key opens nothing here. It may be mistyped, expired or revoked.",
            headers: { "www-authenticate": "Cookie" }
          })
        ),
      Unavailable: () => Effect.succeed(unavailablePage({ site }))
    })
  )
}).pipe(
  Effect.catchTag(["SchemaError", "HttpServerError"], () =>
    Effect.map(context, (shown) => signInPage(shown, { to: "/", status: 400, problem: "Enter an API key." }))
  )
)

const signOut = Effect.gen(function* () {
  const cookie = yield* SessionCookie
  const site = yield* Site
  return yield* cookie
    .signOut(goTo(site, "/sign-in"))
    .pipe(Effect.catchTag("Unavailable", () => Effect.succeed(unavailablePage({ site }))))
})

/** The form to sign in with a key, and what it and the button to sign out do. */
export const routes = [
  HttpRouter.route("GET", "/sign-in", form),
  HttpRouter.route("POST", "/sign-in", fromOwnPage(withSmallForm(signIn))),
  HttpRouter.route("POST", "/sign-out", fromOwnPage(signOut))
]
