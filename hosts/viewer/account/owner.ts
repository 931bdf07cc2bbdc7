/** What the pages of an account's owner have in common. */
import { Effect, type Schema } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound, type InvalidRequest } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { AdministrationRefused } from "../../../core/service/administrationMethods.ts"
import { mismatchesOf } from "../../../core/rules/invalidRequest.ts"
import type { Visitor } from "../access/capability.ts"
import { forAccount } from "../session/account.ts"
import { fromOwnPage, withSmallForm } from "../session/forms.ts"
import { html, type Html } from "../ui/html.ts"
import type { PageContext } from "../ui/layout.ts"

type PageResponse<R> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  NotFound | InvalidRequest | AdministrationRefused | WriteFailure,
  R
>

/** A page for owners of the account: a key with the scope `account_admin`. */
export const forOwner = <R>(show: (owner: Visitor, context: PageContext) => PageResponse<R>) =>
  forAccount(["account_admin"], (owner, context) =>
    // A reading is refused only if the account is being erased.
    Effect.catchTag(show(owner, context), "AdministrationRefused", () => Effect.fail(NotFound.default))
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
  format: "Format",
  repository: "Repository",
  branch: "Branch",
  defaultBranch: "Default branch",
  webUrl: "Web address"
}

/** An action of an owner's page. If it is refused, the page is shown with the reason, and nothing was changed. */
export const ownerAction = <R, R2>(
  act: (owner: Visitor, context: PageContext) => PageResponse<R>,
  page: (owner: Visitor, context: PageContext, refused: Refused) => PageResponse<R2>
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

// The parts of the pages and forms of an account.

/** Why a form was refused, and what it sent, which the page shows again. */
export interface Refused {
  readonly why: string
  readonly sent: URLSearchParams
}

/** Why a form was refused. */
export const refusedNotice = (refused: Refused | undefined): Html | undefined =>
  refused === undefined ? undefined : html`<p class="notice bad" role="alert">Nothing was changed. ${refused.why}</p>`

/** The choices of a select, by label; the first unless another value is chosen. */
export const options = (choices: Readonly<Record<string, string>>, chosen?: string): Html =>
  html`${Object.entries(choices).map(
    ([label, value]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${label}</option>`
  )}`

/** How many entries a list has at least that offers a filter. */
const manyEntries = 20

/** A filter of a long list by a part of its names; `text` is the filter of the page. */
export const nameFilter = (path: string, text: string, entries: number): Html | "" =>
  entries < manyEntries
    ? ""
    : html`<form class="filters" method="get" action="${path}" aria-label="Filters">
        <label>Name <input name="text" value="${text}" maxlength="1024" autocomplete="off" /></label>
        <div class="actions">
          <button>Filter</button>
          ${text === "" ? "" : html`<a href="${path}">Show all</a>`}
        </div>
      </form>`

/** Whether a name contains the text of a filter, in whatever case. */
export const matches = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase())

/** A group of checkboxes of one name. */
export const checks = (
  legend: string,
  name: string,
  boxes: ReadonlyArray<{ readonly value: string; readonly label: Html; readonly isChecked: boolean }>
): Html =>
  html`<fieldset class="checks">
    <legend>${legend}</legend>
    ${boxes.map(
      ({ isChecked, label, value }) =>
        html`<label
          ><input type="checkbox" name="${name}" value="${value}" ${isChecked ? "checked" : ""} />
          <span>${label}</span></label
        >`
    )}
  </fieldset>`

/** A secret that was just created, which is shown only once. */
export const secretCard = (title: string, label: string, text: string, secret: string): Html =>
  html`<section class="card made" aria-labelledby="made">
    <h2 id="made"><bdi>${title}</bdi></h2>
    <p>${text}</p>
    <div class="copy">
      <label for="link">${label}</label>
      <input id="link" readonly value="${secret}" />
    </div>
  </section>`
