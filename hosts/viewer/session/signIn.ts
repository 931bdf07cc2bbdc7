import { Effect, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { keyPrefix } from "../../../core/rules/credentials.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { limitAttempt } from "../../http/RequestOrigin.ts"
import { reportedText } from "../../http/problems.ts"
import { goTo } from "../access/goTo.ts"
import { fromOwnPage } from "./ownPage.ts"
import { withSmallForm } from "./smallForm.ts"
import { problemPage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"
import { signInPage } from "./signInPage.ts"
import { SessionCookie } from "./sessionCookie.ts"
import { toLocalPath } from "../access/site.ts"

const SignInForm = Schema.Struct({
  key: Schema.String.check(Schema.isMaxLength(1024)),
  to: Schema.optionalKey(Schema.String)
})

const form = Effect.gen(function* () {
  const { to } = yield* HttpServerRequest.ParsedSearchParams
  return signInPage(yield* pageContext, { to: toLocalPath(typeof to === "string" ? to : undefined), status: 200 })
})

const signIn = Effect.gen(function* () {
  const context = yield* pageContext
  const { site } = context
  const cookie = yield* SessionCookie
  const authorization = yield* Authorization
  const sent = yield* HttpServerRequest.schemaBodyUrlParams(SignInForm)
  const to = toLocalPath(sent.to)
  const key = sent.key.trim()
  const authenticated = authorization.authenticate(Redacted.make(key))
  return yield* limitAttempt({ kind: "sign_in", keyPrefix: keyPrefix(key) }, "Unauthorized", authenticated).pipe(
    Effect.flatMap((caller) => cookie.begin(goTo(site, to), caller)),
    Effect.catchTag("Unauthorized", (refused) =>
      Effect.map(reportedText(refused, "This key is not valid. It may be mistyped, expired or revoked."), (problem) =>
        signInPage(context, { to, status: 401, problem, headers: { "www-authenticate": "Cookie" } })
      )
    ),
    Effect.catchTag(["RateLimited", "Unavailable", "InsufficientStorage"], (problem) => problemPage(context, problem))
  )
}).pipe(
  Effect.catchTag(["SchemaError", "HttpServerError"], () =>
    Effect.map(pageContext, (context) => signInPage(context, { to: "/", status: 400, problem: "Enter an API key." }))
  )
)

const signOut = Effect.gen(function* () {
  const cookie = yield* SessionCookie
  const context = yield* pageContext
  return yield* cookie
    .signOut(goTo(context.site, "/sign-in"))
    .pipe(Effect.catch((problem) => problemPage(context, problem)))
})

/** The form to sign in with a key, and the actions to sign in and out. */
export const routes = [
  HttpRouter.route("GET", "/sign-in", form),
  HttpRouter.route("POST", "/sign-in", fromOwnPage(withSmallForm(signIn))),
  HttpRouter.route("POST", "/sign-out", fromOwnPage(signOut))
]
