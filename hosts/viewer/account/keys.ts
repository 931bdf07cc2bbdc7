import { DateTime, Duration, Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { KeyId, Scope } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Name } from "../../../core/model/Text.ts"
import type { IssuedKey } from "../../../core/service/administrationMethods.ts"
import { OwnAccount } from "../../../core/service/OwnAccount.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/goTo.ts"
import { idInPath } from "../session/account.ts"
import type { PageContext } from "../ui/layout.ts"
import { keyPage, keysPage, lives, overlaps } from "./keysPage.ts"
import { askedText, formOf, forOwner, ownerAction } from "./owner.ts"
import type { Refused } from "./parts.ts"

/** A duration in seconds that the form offers; `""` is none. */
const offered = (choices: Readonly<Record<string, string>>) =>
  Schema.String.check(
    Schema.makeFilter((value: string) => Object.values(choices).includes(value) || "must be one of the choices")
  )

const NewKey = Schema.Struct({
  name: Name,
  scope: Schema.Union([Scope, Schema.NonEmptyArray(Scope)]),
  expires: offered(lives)
})

const Rotation = Schema.Struct({ overlap: offered(overlaps) })

const list = Effect.fnUntraced(function* (
  owner: Visitor,
  context: PageContext,
  more: { readonly issued?: IssuedKey; readonly refused?: Refused } = {}
) {
  const keys = yield* (yield* OwnAccount).keys(owner)
  return keysPage(context, { keys, text: yield* askedText, own: owner.keyId, now: yield* DateTime.now, ...more })
})

const create = Effect.fnUntraced(function* (owner: Visitor, context: PageContext) {
  const { expires, name, scope } = yield* formOf(NewKey)
  const issued = yield* (yield* OwnAccount).createKey(owner, {
    name,
    scopes: typeof scope === "string" ? [scope] : scope,
    life: expires === "" ? undefined : Duration.seconds(Number(expires))
  })
  return yield* list(owner, context, { issued })
})

const one = Effect.fnUntraced(function* (owner: Visitor, context: PageContext, refused?: Refused) {
  const id = yield* idInPath
  const key = (yield* (yield* OwnAccount).keys(owner)).find((key) => key.id === id)
  if (key === undefined) return yield* NotFound.answer
  return keyPage(context, { key, isOwn: key.id === owner.keyId, now: yield* DateTime.now, refused })
})

const rotate = Effect.fnUntraced(function* (owner: Visitor, context: PageContext) {
  const id = KeyId.make(yield* idInPath)
  const { overlap } = yield* formOf(Rotation)
  const issued = yield* (yield* OwnAccount).rotateKey(owner, { id, overlap: Duration.seconds(Number(overlap)) })
  return yield* list(owner, context, { issued })
})

const revoke = Effect.fnUntraced(function* (owner: Visitor, { site }: PageContext) {
  yield* (yield* OwnAccount).revokeKey(owner, KeyId.make(yield* idInPath))
  return goTo(site, "/account/keys")
})

/** The pages on which owners create, rotate and revoke keys. */
export const routes = [
  HttpRouter.route("GET", "/account/keys", forOwner(list)),
  HttpRouter.route(
    "POST",
    "/account/keys",
    ownerAction(create, (owner, context, refused) => list(owner, context, { refused }))
  ),
  HttpRouter.route("GET", "/account/keys/:id", forOwner(one)),
  HttpRouter.route("POST", "/account/keys/:id/rotate", ownerAction(rotate, one)),
  HttpRouter.route("POST", "/account/keys/:id/revoke", ownerAction(revoke, one))
]
