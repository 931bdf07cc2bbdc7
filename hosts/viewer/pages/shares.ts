/** The page of the share links of a build, a preview or a test run. */
import { DateTime, Duration, Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { encodeQR } from "qr"
import type { Caller, Scope } from "../../../core/model/ApiKey.ts"
import { BuildId } from "../../../core/model/Build.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { NotFound, type InvalidRequest } from "../../../core/model/Problem.ts"
import { type Shared, type ShareLink, ShareLinkId } from "../../../core/model/Resource.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { isOpen, shareUrl } from "../../../core/rules/credentials.ts"
import { Settings } from "../../../core/service/Settings.ts"
import { ShareLinks } from "../../../core/service/ShareLinks.ts"
import { branchIn, goTo, type Path, paths } from "../access/site.ts"
import { forAccount, idIn, idInPath } from "../session/account.ts"
import { fromOwnPage, withSmallForm } from "../session/forms.ts"
import { html, type Html, rawHtml, timeHtml } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { paging } from "../ui/lists.ts"

/** One kind of resource that can be shared: the path of its page, the scope for it, and its name. */
interface Sharing {
  readonly page: (id: string) => Path
  readonly scopes: ReadonlyArray<Scope>
  readonly what: string
  readonly shared: (id: string) => Shared
  /** The id in the path, as it is checked. */
  readonly id?: typeof idInPath
}

const Form = Schema.Struct({
  seconds: Schema.FiniteFromString.check(Schema.makeFilter((value) => Object.values(lives).includes(value)))
})

const pageOf = Effect.fnUntraced(function* (
  context: PageContext,
  caller: Caller,
  { page, shared, what }: Sharing,
  id: string,
  made?: string
) {
  const shares = yield* ShareLinks
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const asked = new URL(url, "http://viewer").searchParams.get("after")
  const after = asked === null ? undefined : ShareLinkId.make(yield* idIn(asked))
  const listed = yield* shares.list(caller, shared(id), after)
  return sharesPage(context, { what, path: page(id), ...listed, after, made, now: yield* DateTime.now })
})

const routesOf = (sharing: Sharing) => {
  const { id: idOfPath = idInPath, page, scopes, shared } = sharing
  const forSharer = <R>(
    act: (
      caller: Caller,
      context: PageContext,
      id: string
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound | InvalidRequest | WriteFailure, R>
  ) => forAccount(scopes, (caller, context) => Effect.flatMap(idOfPath, (id) => act(caller, context, id)))

  const make = forSharer(
    Effect.fnUntraced(function* (caller, context, id) {
      const shares = yield* ShareLinks
      const { viewerUrl } = yield* Settings
      // A life that the form doesn't offer is ignored: the link then lives for the default time.
      const life = yield* HttpServerRequest.schemaBodyUrlParams(Form).pipe(
        Effect.map(({ seconds }) => Duration.seconds(seconds)),
        Effect.catchTag(["SchemaError", "HttpServerError"], () => Effect.undefined)
      )
      const { secret } = yield* Effect.catchTag(shares.create(caller, shared(id), life), "PreviewNotReady", () =>
        Effect.fail(NotFound.default)
      )
      return yield* pageOf(context, caller, sharing, id, shareUrl(viewerUrl, secret))
    })
  )

  const revoke = forSharer(
    Effect.fnUntraced(function* (caller, context, id) {
      const shares = yield* ShareLinks
      const { link = "" } = yield* HttpRouter.params
      yield* shares.revoke(caller, shared(id), ShareLinkId.make(yield* idIn(link)))
      return goTo(context.site, paths.shares(page(id)))
    })
  )

  const show = forSharer((caller, context, id) => pageOf(context, caller, sharing, id))

  const path = paths.shares(page(":id"))
  return [
    HttpRouter.route("GET", path, show),
    HttpRouter.route("POST", path, fromOwnPage(withSmallForm(make))),
    HttpRouter.route("POST", `${path}/:link/revoke`, fromOwnPage(withSmallForm(revoke)))
  ]
}

/** The name of a branch in a path, with the branch. */
const branchId = Effect.flatMap(HttpRouter.params, ({ id = "" }) =>
  branchIn(id)?.branch === undefined ? Effect.fail(NotFound.default) : Effect.succeed(id)
)

/** The pages on which owners create, list and revoke share links. */
export const routes = [
  ...routesOf({
    page: paths.build,
    scopes: ["builds"],
    what: "this build",
    shared: (id) => ({ build: BuildId.make(id) })
  }),
  ...routesOf({
    page: paths.preview,
    scopes: ["preview_upload"],
    what: "this preview",
    shared: (id) => ({ preview: ShareId.make(id) })
  }),
  ...routesOf({
    page: paths.run,
    scopes: ["test_runs", "preview_upload"],
    what: "this run",
    shared: (id) => ({ run: TestRunId.make(id) })
  }),
  ...routesOf({
    page: (id) => `/badges/${id.startsWith(":") ? id : encodeURIComponent(id)}`,
    scopes: ["test_runs"],
    what: "this badge",
    id: branchId,
    shared: (id) => {
      const { branch = "", owner = "", repo = "" } = branchIn(id) ?? {}
      return { badge: { owner, repo, branch } }
    }
  })
]

/** The lifetimes on offer, in seconds by label. */
const lives = { "1 hour": 3600, "1 day": 86_400, "7 days": 604_800, "30 days": 2_592_000, "90 days": 7_776_000 }

/** The shared resource and its links. */
interface SharesFacts {
  /** The description of the shared resource, and the path of its page. */
  readonly what: string
  readonly path: Path
  readonly links: ReadonlyArray<ShareLink>
  /**
   * `after` is the link after which this page begins, `next` the one after which the next page does, if there is one.
   */
  readonly after: ShareLinkId | undefined
  readonly next?: ShareLinkId
  /** The URL of a new link, which is shown only once. */
  readonly made?: string | undefined
  readonly now: DateTime.Utc
}

const madeSection = (url: string): Html =>
  html`<section class="card made" aria-labelledby="made">
    <h2 id="made">The link</h2>
    <p>Anyone with this link can open the page without a key until the link ends. The link is shown only once.</p>
    <div class="copy">
      <label for="link">Link</label>
      <input id="link" readonly value="${url}" />
    </div>
    <div class="qr" role="img" aria-label="The link as a QR code">${rawHtml(encodeQR(url, "svg", { border: 2 }))}</div>
  </section>`

const stateOf = (link: ShareLink, now: DateTime.Utc): Html =>
  link.revokedAt === undefined
    ? html`${isOpen(link, now) ? "ends" : "ended"} ${timeHtml(link.expiresAt)}`
    : html`revoked ${timeHtml(link.revokedAt)}`

const linkItem = (base: string, path: Path, link: ShareLink, now: DateTime.Utc): Html => {
  const open = isOpen(link, now)
  const made = DateTime.formatIso(link.createdAt).slice(0, 16).replace("T", " ")
  return html`<li>
    <span>
      <span class="name">Made ${timeHtml(link.createdAt)}</span>
      <span class="type">${stateOf(link, now)}</span>
    </span>
    ${
      open
        ? html`<form method="post" action="${base + paths.shares(path)}/${link.id}/revoke">
            <button class="quiet" aria-label="Revoke the link made ${made} UTC">Revoke</button>
          </form>`
        : html`<span class="pill expired">Ended</span>`
    }
  </li>`
}

/** The page of the links to one resource, to create, list and revoke them. */
const sharesPage = (
  context: PageContext,
  { after, links, made, next, now, path, what }: SharesFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: `Share ${what}`,
    styles: ["shares"],
    script: made === undefined ? undefined : "share",
    main: html`<div class="title">
        <h1>Share ${what}</h1>
        <p class="at">
          <a href="${base}${path}">Back to its page</a>
        </p>
      </div>
      <div class="columns pair">
        <div class="stack">
          ${made === undefined ? "" : madeSection(made)}
          <form class="card" method="post" action="${base + paths.shares(path)}">
            <h2>New link</h2>
            <p>The link opens this page, read-only, for people without a key. You can revoke it at any time.</p>
            <label for="life">Expires after</label>
            <select id="life" name="seconds">
              ${Object.entries(lives).map(
                ([label, seconds]) =>
                  html`<option value="${seconds}" ${label === "7 days" ? "selected" : ""}>${label}</option>`
              )}
            </select>
            <button>Make a link</button>
          </form>
        </div>
        <section class="card" aria-labelledby="links">
          <h2 id="links">Links <span class="count">${links.length}</span></h2>
          ${
            links.length === 0
              ? html`<p>There are no links. Only keys of this account open this page.</p>`
              : html`<ul class="list">
                  ${links.map((link) => linkItem(base, path, link, now))}
                </ul>`
          }
          ${paging(
            "Pages of links",
            after === undefined ? undefined : `${base + paths.shares(path)}`,
            next === undefined ? undefined : `${base + paths.shares(path)}?after=${next}`
          )}
        </section>
      </div>`
  })
}
