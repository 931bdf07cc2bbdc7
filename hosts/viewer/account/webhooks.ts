/** The page of an account's webhooks, and the actions of its forms. */
import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import {
  type DeliveryAttempt,
  EventType,
  webhookFilters,
  WebhookFormat,
  WebhookId
} from "../../../core/model/SlipwayEvent.ts"
import { WebhookUrl } from "../../../core/rules/events.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { OwnAccount } from "../../../core/service/OwnAccount.ts"
import type { ShownWebhook } from "../../../core/service/administrationMethods.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/site.ts"
import { idInPath } from "../session/account.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { code, factList, factOf, pill } from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText, timeHtml } from "../ui/html.ts"
import { checks, formOf, forOwner, ownerAction, type Refused, refusedNotice, secretCard } from "./owner.ts"

const NewWebhook = Schema.Struct({
  url: WebhookUrl,
  event: Schema.optionalKey(Schema.Union([EventType, Schema.NonEmptyArray(EventType)])),
  format: Schema.optionalKey(Schema.Union([WebhookFormat, Schema.Literal("")])),
  repository: Schema.optionalKey(Schema.Union([webhookFilters.repository.schema, Schema.Literal("")])),
  branch: Schema.optionalKey(Schema.Union([webhookFilters.branch.schema, Schema.Literal("")]))
})

const list = Effect.fnUntraced(function* (
  owner: Visitor,
  context: PageContext,
  more: { readonly secret?: string; readonly refused?: Refused } = {}
) {
  return webhooksPage(context, { webhooks: yield* (yield* OwnAccount).webhooks(owner), ...more })
})

const add = Effect.fnUntraced(function* (owner: Visitor, context: PageContext) {
  const { branch, event = [], format, repository, url } = yield* formOf(NewWebhook)
  const types = typeof event === "string" ? [event] : event
  const { secret } = yield* (yield* OwnAccount).addWebhook(owner, {
    url,
    types,
    ...withoutUndefined({
      format: format || undefined,
      repository: repository || undefined,
      branch: branch || undefined
    })
  })
  return yield* list(owner, context, { secret })
})

const idOf = Effect.map(idInPath, (id) => WebhookId.make(id))

const one = Effect.fnUntraced(function* (owner: Visitor, context: PageContext) {
  return webhookPage(context, yield* (yield* OwnAccount).webhook(owner, yield* idOf))
})

const remove = Effect.fnUntraced(function* (owner: Visitor, { site }: PageContext) {
  yield* (yield* OwnAccount).removeWebhook(owner, yield* idOf)
  return goTo(site, "/account/webhooks")
})

const resume = Effect.fnUntraced(function* (owner: Visitor, { site }: PageContext) {
  const id = yield* idOf
  yield* (yield* OwnAccount).resumeWebhook(owner, id)
  return goTo(site, `/account/webhooks/${id}`)
})

const test = Effect.fnUntraced(function* (owner: Visitor, { site }: PageContext) {
  const id = yield* idOf
  yield* (yield* OwnAccount).testWebhook(owner, id)
  return goTo(site, `/account/webhooks/${id}`)
})

/** The pages on which owners add, inspect, resume and remove webhooks. */
export const routes = [
  HttpRouter.route("GET", "/account/webhooks", forOwner(list)),
  HttpRouter.route(
    "POST",
    "/account/webhooks",
    ownerAction(add, (owner, context, refused) => list(owner, context, { refused }))
  ),
  HttpRouter.route("GET", "/account/webhooks/:id", forOwner(one)),
  HttpRouter.route("POST", "/account/webhooks/:id/remove", ownerAction(remove, one)),
  HttpRouter.route("POST", "/account/webhooks/:id/resume", ownerAction(resume, one)),
  HttpRouter.route("POST", "/account/webhooks/:id/test", ownerAction(test, one))
]

type Webhook = ShownWebhook["webhook"]

const eventTexts: Readonly<Record<EventType, string>> = {
  "build.ready": "A build was uploaded",
  "preview.hosted": "A preview was uploaded",
  "run.registered": "A test run was registered",
  "test.broken": "A test broke on a branch",
  "test.fixed": "A broken test passed again",
  "test.flaky": "A test became flaky",
  "quarantine.expired": "A quarantine ended",
  "quarantine.recovered": "A quarantined test passed ten times in a row",
  "ci_run.finished": "A CI run finished",
  "share.created": "A share link was created",
  "share.revoked": "A share link was revoked",
  "key.created": "A key was created",
  "key.revoked": "A key was revoked",
  "webhook.disabled": "Another webhook was disabled",
  "webhook.test": "Somebody tests this webhook"
}

/** A webhook that is not delivered to as it should be. */
const trouble = ({ disabledAt, failingSince }: Webhook): Html | undefined =>
  disabledAt !== undefined
    ? pill("failed", "Disabled")
    : failingSince === undefined
      ? undefined
      : pill("warned", "Failing")

const eventsText = ({ types }: Webhook): Html =>
  types.length === 0 ? html`all events` : joinHtml(types.map(code), " ")

/** The page of an account's webhooks. */
const webhooksPage = (
  context: PageContext,
  {
    refused,
    secret,
    webhooks
  }: { readonly webhooks: ReadonlyArray<Webhook>; readonly secret?: string; readonly refused?: Refused }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: "Webhooks",
    status: refused === undefined ? 200 : 400,
    styles: ["shares"],
    script: secret === undefined ? undefined : "share",
    main: html`${accountTitle(context, {
        heading: "Webhooks",
        path: "/account/webhooks",
        at: "URLs that receive a signed POST for each event of this account."
      })}
      ${refusedNotice(refused)}
      ${
        secret === undefined
          ? ""
          : secretCard(
              "The new webhook",
              "Secret",
              "Save it now: your receiver verifies signatures with it. It is not shown again.",
              secret
            )
      }
      <div class="columns pair">
        <section class="card" aria-labelledby="webhooks">
          <h2 id="webhooks">Webhooks <span class="count">${webhooks.length}</span></h2>
          ${
            webhooks.length === 0
              ? html`<p>There are none yet. Add the URL of a receiver, such as of a chat or of your own service.</p>`
              : html`<ul class="list">
                  ${webhooks.map(
                    (webhook) =>
                      html`<li>
                        <a href="${base}/account/webhooks/${webhook.id}">
                          <span class="name"><bdi>${shortText(webhook.url, 100)}</bdi></span>
                          <span class="type">${eventsText(webhook)}</span>
                        </a>
                        ${trouble(webhook)}
                      </li>`
                  )}
                </ul>`
          }
        </section>
        <form class="card" method="post" action="${base}/account/webhooks">
          <h2>New webhook</h2>
          <label for="url">URL</label>
          <input
            id="url"
            name="url"
            type="url"
            value="${refused?.sent.get("url") ?? ""}"
            required
            autocomplete="off"
            placeholder="https://ci.example/slipway"
          />
          ${checks(
            "Events; all if none is chosen",
            "event",
            EventType.literals.map((type) => ({
              value: type,
              label: html`<code>${type}</code> <span class="type">${eventTexts[type]}</span>`,
              isChecked: refused?.sent.getAll("event").includes(type) ?? false
            }))
          )}
          <label for="format">Format</label>
          <select id="format" name="format">
            <option value="">JSON</option>
            <option value="slack">Slack</option>
            <option value="teams">Teams</option>
            <option value="discord">Discord</option>
          </select>
          <label for="repository">Only of the repository</label>
          <input id="repository" name="repository" placeholder="owner/repo" autocomplete="off" />
          <label for="branch">Only of the branch</label>
          <input id="branch" name="branch" autocomplete="off" />
          <button>Add the webhook</button>
        </form>
      </div>`
  })
}

const attemptItem = ({ answer, at, attempt, event, status, type }: DeliveryAttempt): Html =>
  html`<li>
    <span>
      <span class="name">${type}</span>
      <span class="type">${timeHtml(at)} · attempt ${attempt} · <bdi>${answer}</bdi></span>
      <span class="type">${code(event)}</span>
    </span>
    ${status === "delivered" ? "" : pill("failed", status === "failed" ? "Failed" : "Given up")}
  </li>`

/** The page of one webhook, with what was delivered to it. */
const webhookPage = (
  context: PageContext,
  { attempts, webhook }: { readonly webhook: Webhook; readonly attempts: ReadonlyArray<DeliveryAttempt> }
): HttpServerResponse.HttpServerResponse => {
  const path = `${context.site.base}/account/webhooks/${webhook.id}`
  const { disabledAt, failingSince } = webhook
  return page(context, {
    title: `Webhook to ${new URL(webhook.url).host}`,
    trail: [{ name: "Webhooks", path: "/account/webhooks" }],
    main: html`${accountTitle(context, {
        heading: html`Webhook to <bdi>${shortText(new URL(webhook.url).host, 60)}</bdi>`,
        status: trouble(webhook),
        path: "/account/webhooks",
        at: eventsText(webhook)
      })}
      ${
        failingSince === undefined && disabledAt === undefined
          ? ""
          : html`<form class="card" method="post" action="${path}/resume">
              <h2>${disabledAt === undefined ? "Paused" : "Disabled"}</h2>
              <p>
                ${
                  disabledAt === undefined
                    ? html`Every delivery has failed since ${failingSince === undefined ? "" : timeHtml(failingSince)}.
                      The next one is tried after a pause.`
                    : html`Every delivery failed for three days. Waiting events are sent once you resume it.`
                }
              </p>
              <button>Resume now</button>
            </form>`
      }
      <div class="columns pair">
        <section class="card" aria-labelledby="deliveries">
          <h2 id="deliveries">Latest deliveries <span class="count">${attempts.length}</span></h2>
          ${
            attempts.length === 0
              ? html`<p>Nothing was delivered yet. The next event of this account is sent within seconds.</p>`
              : html`<ul class="list">
                  ${attempts.map(attemptItem)}
                </ul>`
          }
        </section>
        <div class="stack">
          <section class="card" aria-labelledby="facts">
            <h2 id="facts">Facts</h2>
            ${factList([
              ["URL", code(webhook.url)],
              ["Events", eventsText(webhook)],
              ["Format", webhook.format ?? "json"],
              ...factOf("Repository", webhook.repository, code),
              ...factOf("Branch", webhook.branch, code),
              ["Added", timeHtml(webhook.createdAt)],
              ["Id", code(webhook.id)]
            ])}
          </section>
          <form class="card" method="post" action="${path}/test">
            <h2>Test</h2>
            <p>Sends a test event. Its result is among the deliveries after a second.</p>
            <button class="quiet">Send a test</button>
          </form>
          <form class="card" method="post" action="${path}/remove">
            <h2>Remove</h2>
            <p>Nothing more is sent to this URL, and events that wait for it are deleted. This can't be undone.</p>
            <button class="grave">Remove this webhook</button>
          </form>
        </div>
      </div>`
  })
}
