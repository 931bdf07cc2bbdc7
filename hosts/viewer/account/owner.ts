/** What the pages of an account's owner have in common. */
import { Effect, type Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { AdministrationRefused } from "../../../core/service/administrationMethods.ts"
import { mismatchesOf } from "../../http/problems.ts"
import type { Visitor } from "../access/capability.ts"
import { forAccount } from "../session/account.ts"
import { fromOwnPage } from "../session/ownPage.ts"
import { withSmallForm } from "../session/smallForm.ts"
import type { PageContext } from "../ui/layout.ts"
import type { Refused } from "./parts.ts"

type Answer<R> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  NotFound | AdministrationRefused | WriteFailure,
  R
>

/** A page for owners of the account: a key with the scope `account_admin`. */
export const forOwner = <R>(show: (owner: Visitor, context: PageContext) => Answer<R>) =>
  forAccount(["account_admin"], (owner, context) =>
    // A reading is refused only if the account is being erased.
    Effect.catchTag(show(owner, context), "AdministrationRefused", () => Effect.fail(NotFound.answer))
  )

/** The text by which the URL filters a list. */
export const askedText = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => new URL(url, "http://viewer").searchParams.get("text") ?? ""
)

const sentForm = Effect.gen(function* () {
  const { text } = yield* HttpServerRequest.HttpServerRequest
  return new URLSearchParams(yield* Effect.orElseSucceed(text, () => ""))
})

/** What the fields of the forms are called on their pages. */
const labels: Readonly<Record<string, string>> = {
  name: "Name",
  scope: "Scopes",
  expires: "Expires after",
  url: "URL",
  event: "Events",
  defaultBranch: "Default branch",
  webUrl: "Web address"
}

/** An action of an owner's page. If it is refused, the page is shown with the reason, and nothing was changed. */
export const ownerAction = <R, R2>(
  act: (owner: Visitor, context: PageContext) => Answer<R>,
  page: (owner: Visitor, context: PageContext, refused: Refused) => Answer<R2>
) =>
  fromOwnPage(
    withSmallForm(
      forOwner((owner, context) =>
        Effect.catchTag(act(owner, context), "AdministrationRefused", ({ message: why }) =>
          Effect.flatMap(sentForm, (sent) => page(owner, context, { why, sent }))
        )
      )
    )
  )

/** The form of a request. A field that doesn't fit is refused with its label. */
export const formOf = <A, I extends Readonly<Record<string, string | ReadonlyArray<string> | undefined>>>(
  schema: Schema.Codec<A, I>
) =>
  HttpServerRequest.schemaBodyUrlParams(schema).pipe(
    Effect.catchTags({
      SchemaError: ({ issue }) =>
        Effect.fail(
          new AdministrationRefused({
            message: mismatchesOf(issue)
              .map(({ message, path }) => `${labels[String(path)] ?? String(path)}: ${message}`)
              .join("; ")
          })
        ),
      HttpServerError: () => Effect.fail(new AdministrationRefused({ message: "The form can't be read." }))
    })
  )
