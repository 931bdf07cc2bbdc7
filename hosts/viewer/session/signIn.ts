/** The page to sign in with a key, and the actions to sign in and out. */
import { Effect, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { keyPrefix } from "../../../core/rules/credentials.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { limitAttempt } from "../../http/requestContext.ts"
import { reportedText } from "../../http/problems.ts"
import { goTo, toLocalPath } from "../access/site.ts"
import { html } from "../ui/html.ts"
import { page, type PageContext, pageContext, problemPage } from "../ui/layout.ts"
import { fromOwnPage, withSmallForm } from "./forms.ts"
import { SessionCookie } from "./sessionCookie.ts"

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

/** The sign-in form. `to` is the path to open afterwards, `problem` why the last attempt failed. */
export const signInPage = (
  context: PageContext,
  options: {
    readonly to: string
    readonly status: number
    readonly problem?: string | undefined
    readonly headers?: Readonly<Record<string, string>> | undefined
  }
): HttpServerResponse.HttpServerResponse => {
  const { otherSignIn: other, site } = context
  const failed = options.problem !== undefined
  return page(context, {
    title: "Sign in",
    status: options.status,
    headers: options.headers,
    script: "signIn",
    main: html`<form class="card narrow" method="post" action="${site.base}/sign-in">
      <h1>Sign in</h1>
      ${
        other === undefined
          ? ""
          : html`<p>
              <a class="button" href="${site.base}${other.path}?${String(new URLSearchParams({ to: options.to }))}"
                >Sign in with ${other.name}</a
              >
            </p>`
      }
      <p>${other === undefined ? "Use" : "Or use"} an API key of your account to see what the account has uploaded.</p>
      ${failed ? html`<p class="problem" id="problem" role="alert">${options.problem}</p>` : ""}
      <input type="hidden" name="to" value="${options.to}" />
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autofocus
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        placeholder="slip_…"
        ${failed ? html` aria-invalid="true" aria-describedby="problem"` : ""}
      />
      <button>Sign in</button>
      ${context.hasPrograms === true ? html`<p><a href="${site.base}/cli">Command-line programs</a></p>` : ""}
    </form>`
  })
}
