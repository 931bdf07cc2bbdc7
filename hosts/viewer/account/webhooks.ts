import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { EventType, WebhookId } from "../../../core/model/SlipwayEvent.ts"
import { WebhookUrl } from "../../../core/rules/events.ts"
import { OwnAccount } from "../../../core/service/OwnAccount.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/goTo.ts"
import { idInPath } from "../session/account.ts"
import type { PageContext } from "../ui/layout.ts"
import { formOf, forOwner, ownerAction } from "./owner.ts"
import type { Refused } from "./parts.ts"
import { webhookPage, webhooksPage } from "./webhooksPage.ts"

const NewWebhook = Schema.Struct({
  url: WebhookUrl,
  event: Schema.optionalKey(Schema.Union([EventType, Schema.NonEmptyArray(EventType)]))
})

const list = Effect.fnUntraced(function* (
  owner: Visitor,
  context: PageContext,
  more: { readonly secret?: string; readonly refused?: Refused } = {}
) {
  return webhooksPage(context, { webhooks: yield* (yield* OwnAccount).webhooks(owner), ...more })
})

const add = Effect.fnUntraced(function* (owner: Visitor, context: PageContext) {
  const { event = [], url } = yield* formOf(NewWebhook)
  const types = typeof event === "string" ? [event] : event
  const { secret } = yield* (yield* OwnAccount).addWebhook(owner, { url, types })
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
  HttpRouter.route("POST", "/account/webhooks/:id/resume", ownerAction(resume, one))
]
