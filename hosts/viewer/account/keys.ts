/** The page of an account's API keys, and the actions of its forms. */
import { DateTime, Duration, Effect, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { type ApiKey, KeyId, Scope } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { Name } from "../../../core/model/Text.ts"
import { isLive } from "../../../core/rules/credentials.ts"
import { OwnAccount } from "../../../core/service/OwnAccount.ts"
import type { IssuedKey } from "../../../core/service/administrationMethods.ts"
import type { Visitor } from "../access/capability.ts"
import { goTo } from "../access/site.ts"
import { idInPath } from "../session/account.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { code, factList, factOf, pill } from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText, timeHtml } from "../ui/html.ts"
import {
  askedText,
  checks,
  formOf,
  forOwner,
  matches,
  nameFilter,
  options,
  ownerAction,
  type Refused,
  refusedNotice,
  secretCard
} from "./owner.ts"

const day = 86_400

/** The lifetimes of a new key, in seconds by label; `""` is without end. */
const lives = {
  "90 days": `${90 * day}`,
  "7 days": `${7 * day}`,
  "30 days": `${30 * day}`,
  "1 year": `${365 * day}`,
  Never: ""
}

/** How long a rotated key stays valid. */
const overlaps = { "24 hours": `${day}`, "1 hour": "3600", "7 days": `${7 * day}`, "Not at all": "0" }

const scopeTexts: Readonly<Record<Scope, string>> = {
  builds: "Upload and read builds",
  preview_upload: "Upload and read previews",
  test_runs: "Register and read test runs",
  quarantine: "Quarantine tests, and end quarantines",
  delete: "Delete these; needs their scope too",
  account_admin: "Administer the account on these pages: keys, webhooks, retention"
}

/** How many valid and how many ended keys are listed, the newest. */
const [maxValid, maxEnded] = [50, 20]

const keyItem = (base: string, key: ApiKey, own: KeyId | undefined, now: DateTime.Utc): Html => {
  const ends =
    key.revokedAt !== undefined
      ? html`revoked ${timeHtml(key.revokedAt)}`
      : key.expiresAt === undefined
        ? html`never expires`
        : html`${isLive(key, now) ? "expires" : "expired"} ${timeHtml(key.expiresAt)}`
  return html`<li>
    <a href="${base}/account/keys/${key.id}">
      <span class="name"><bdi>${shortText(key.name, 60)}</bdi></span>
      <span class="type">${joinHtml(key.scopes.map(code), " ")}</span>
      <span class="type">
        ${joinHtml([key.lastUsedAt === undefined ? html`never used` : html`used ${timeHtml(key.lastUsedAt)}`, ends], " · ")}
      </span>
    </a>
    ${key.id === own ? pill("ready", "You") : ""}
  </li>`
}

interface KeysFacts {
  readonly keys: ReadonlyArray<ApiKey>
  /** Only keys with this in their name are listed. */
  readonly text: string
  /** The key that is signed in. */
  readonly own: KeyId | undefined
  readonly now: DateTime.Utc
  /** A key that was just created. */
  readonly issued?: IssuedKey
  /** The form by which nothing was created. */
  readonly refused?: Refused
}

/** The page of an account's keys. */
const keysPage = (
  context: PageContext,
  { issued, keys, now, own, refused, text }: KeysFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const newest = keys.filter(({ name }) => matches(name, text)).toReversed()
  const valid = newest.filter((key) => isLive(key, now))
  const ended = newest.filter((key) => !isLive(key, now))
  const list = (some: ReadonlyArray<ApiKey>) =>
    html`<ul class="list">
      ${some.map((key) => keyItem(base, key, own, now))}
    </ul>`
  return page(context, {
    title: "API keys",
    status: refused === undefined ? 200 : 400,
    styles: ["shares"],
    script: issued === undefined ? undefined : "share",
    main: html`${accountTitle(context, {
        heading: "API keys",
        path: "/account/keys",
        at: "CI uploads with a key, and people sign in with one. Open a key to rotate or revoke it."
      })}
      ${refusedNotice(refused)}
      ${
        issued === undefined
          ? ""
          : secretCard(
              `The key ${shortText(issued.record.name, 60)}`,
              "Key",
              "Save it now, such as in the secret SLIPWAY_KEY of your CI. It is not shown again.",
              issued.key
            )
      }
      <div class="columns pair">
        <section class="card" aria-labelledby="valid">
          <h2 id="valid">Valid keys <span class="count">${valid.length}</span></h2>
          ${nameFilter(`${base}/account/keys`, text, keys.length)}
          ${newest.length === 0 ? html`<p>No key matches.</p>` : list(valid.slice(0, maxValid))}
          ${valid.length > maxValid ? html`<p class="type">These are the newest ${maxValid}. Filter by name to find others.</p>` : ""}
          ${
            ended.length === 0
              ? ""
              : html`<details class="digests" ${text === "" ? "" : "open"}>
                  <summary>Expired and revoked keys (${ended.length})</summary>
                  ${list(ended.slice(0, maxEnded))}
                  ${ended.length > maxEnded ? html`<p class="type">These are the newest ${maxEnded}.</p>` : ""}
                </details>`
          }
        </section>
        <form class="card" method="post" action="${base}/account/keys">
          <h2>New key</h2>
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            value="${refused?.sent.get("name") ?? ""}"
            required
            maxlength="1024"
            autocomplete="off"
            placeholder="ci of acme/app"
          />
          ${checks(
            "Scopes",
            "scope",
            Scope.literals.map((scope) => ({
              value: scope,
              label: html`<code>${scope}</code> <span class="type">${scopeTexts[scope]}</span>`,
              isChecked:
                refused?.sent.getAll("scope").includes(scope) ?? (scope !== "delete" && scope !== "account_admin")
            }))
          )}
          <label for="expires">Expires after</label>
          <select id="expires" name="expires">
            ${options(lives, refused?.sent.get("expires") ?? undefined)}
          </select>
          <button>Create the key</button>
        </form>
      </div>`
  })
}

/** The page of one key, with the forms to rotate and to revoke it. */
const keyPage = (
  context: PageContext,
  {
    isOwn,
    key,
    now,
    refused
  }: {
    readonly key: ApiKey
    readonly isOwn: boolean
    readonly now: DateTime.Utc
    readonly refused: Refused | undefined
  }
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const isValid = isLive(key, now)
  const path = `${base}/account/keys/${key.id}`
  return page(context, {
    title: `The key ${shortText(key.name, 60)}`,
    status: refused === undefined ? 200 : 400,
    trail: [{ name: "API keys", path: "/account/keys" }],
    main: html`${accountTitle(context, {
        heading: html`The key <bdi>${shortText(key.name, 60)}</bdi>`,
        status: isValid ? undefined : pill("expired", key.revokedAt === undefined ? "Expired" : "Revoked"),
        path: "/account/keys",
        at: isOwn ? "You are signed in with this key." : html`${joinHtml(key.scopes.map(code), " ")}`
      })}
      ${refusedNotice(refused)}
      <div class="columns pair">
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          ${factList([
            ["Name", html`<bdi>${key.name}</bdi>`],
            ["Scopes", joinHtml(key.scopes.map(code), " ")],
            ["Created", timeHtml(key.createdAt)],
            ["Last used", key.lastUsedAt === undefined ? "never" : timeHtml(key.lastUsedAt)],
            ["Expires", key.expiresAt === undefined ? "never" : timeHtml(key.expiresAt)],
            ...factOf("Revoked", key.revokedAt, timeHtml),
            ["Id", code(key.id)]
          ])}
        </section>
        ${
          isValid
            ? html`<div class="stack">
                <form class="card" method="post" action="${path}/rotate">
                  <h2>Rotate</h2>
                  <p>
                    Creates a key with the same name, scopes and lifetime. This key stays valid for a while, so that CI
                    can change to the new one.
                  </p>
                  <label for="overlap">This key stays valid for</label>
                  <select id="overlap" name="overlap">
                    ${options(overlaps)}
                  </select>
                  <button>Create the new key</button>
                </form>
                <form class="card" method="post" action="${path}/revoke">
                  <h2>Revoke</h2>
                  <p>
                    Every host refuses this key from the next request on, and sign-ins with it
                    end.${isOwn ? " This is the key that you are signed in with, so you are signed out too." : ""} This
                    can't be undone.
                  </p>
                  <button class="grave">Revoke this key</button>
                </form>
              </div>`
            : ""
        }
      </div>`
  })
}

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
  if (key === undefined) return yield* NotFound.default
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
