/** The page of a key's sessions, and the actions of its buttons. */
import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type Session, SessionId } from "../../../core/model/ApiKey.ts"
import { NotFound, type InvalidRequest } from "../../../core/model/Problem.ts"
import type { WriteFailure } from "../../../core/ports/WriteFailure.ts"
import { type SessionCaller, Sessions } from "../../../core/service/Sessions.ts"
import { goTo } from "../access/site.ts"
import { accountTitle, page, type PageContext } from "../ui/layout.ts"
import { html, type Html, shortText, timeHtml } from "../ui/html.ts"
import { paging } from "../ui/lists.ts"
import { forAccount, idIn, idInPath } from "./account.ts"
import { fromOwnPage } from "./forms.ts"
import { SessionCookie } from "./sessionCookie.ts"

/** A page for who is signed in by a session of the viewer's. */
const forSession = <R>(
  show: (
    caller: SessionCaller,
    context: PageContext
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, InvalidRequest | NotFound | WriteFailure, R>
) =>
  forAccount([], ({ keyId, sessionId, ...caller }, context) =>
    keyId === undefined || sessionId === undefined
      ? Effect.fail(NotFound.default)
      : show({ ...caller, keyId, sessionId }, context)
  )

const show = forSession(
  Effect.fnUntraced(function* (caller, context) {
    const sessions = yield* Sessions
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const asked = new URL(url, "http://viewer").searchParams.get("after")
    const after = asked === null ? undefined : SessionId.make(yield* idIn(asked))
    return sessionsPage(context, { ...(yield* sessions.list(caller, after)), after, own: caller.sessionId })
  })
)

const end = forSession(
  Effect.fnUntraced(function* (caller, { site }) {
    const sessions = yield* Sessions
    const cookie = yield* SessionCookie
    const id = SessionId.make(yield* idInPath)
    yield* sessions.end(caller, id)
    return id === caller.sessionId ? cookie.takeBack(goTo(site, "/sign-in")) : goTo(site, "/sessions")
  })
)

const endAll = forSession(
  Effect.fnUntraced(function* (caller, { site }) {
    const sessions = yield* Sessions
    const cookie = yield* SessionCookie
    yield* sessions.endAll(caller)
    return cookie.takeBack(goTo(site, "/sign-in"))
  })
)

/** The page that lists a key's sessions, and the actions of its buttons. */
export const routes = [
  HttpRouter.route("GET", "/sessions", show),
  HttpRouter.route("POST", "/sessions/:id/end", fromOwnPage(end)),
  HttpRouter.route("POST", "/sign-out-everywhere", fromOwnPage(endAll))
]

/** The sessions of a key, and the one that views the page. */
interface SessionsFacts {
  readonly sessions: ReadonlyArray<Session>
  readonly own: SessionId
  /**
   * `after` is the session after which this page begins, `next` the one after which the next page does, if there is
   * one.
   */
  readonly after: SessionId | undefined
  readonly next?: SessionId
}

const sessionItem = (base: string, session: Session, isOwn: boolean): Html => {
  const browser = browserText(session.userAgent)
  const began = DateTime.formatIso(session.createdAt).slice(0, 16).replace("T", " ")
  return html`<li>
    <span>
      <span class="name"><bdi>${browser}</bdi> ${isOwn ? html`<span class="pill ready">This one</span>` : ""}</span>
      <span class="type">
        signed in
        ${timeHtml(session.createdAt)}${session.address === undefined ? "" : html`, from <bdi>${session.address}</bdi>`}
      </span>
    </span>
    <form method="post" action="${base}/sessions/${session.id}/end">
      <button class="quiet" aria-label="End the session of ${browser} since ${began} UTC">End</button>
    </form>
  </li>`
}

/** The page that lists a key's sessions and can end one or all of them. */
const sessionsPage = (
  context: PageContext,
  { after, next, own, sessions }: SessionsFacts
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  return page(context, {
    title: "Sessions",
    main: html`${accountTitle(context, {
        heading: "Sessions",
        path: "/sessions",
        at: "Everywhere that you, or somebody with the same key, signed in. A session ends after 7 days at most."
      })}
      <div class="columns pair">
        <section class="card" aria-labelledby="sessions">
          <h2 id="sessions">Signed in <span class="count">${sessions.length}</span></h2>
          <ul class="list">
            ${sessions.map((session) => sessionItem(base, session, session.id === own))}
          </ul>
          ${paging(
            "Pages of sessions",
            after === undefined ? undefined : `${base}/sessions`,
            next === undefined ? undefined : `${base}/sessions?after=${next}`
          )}
        </section>
        <form class="card" method="post" action="${base}/sign-out-everywhere">
          <h2>Sign out everywhere</h2>
          <p>
            This ends every session of this key, including this one. Anyone with the key can sign in again until the key
            is revoked.
          </p>
          <p><button>Sign out everywhere</button></p>
        </form>
      </div>`
  })
}

/** Patterns for `User-Agent`. Most browsers also name others, so the first match is the right one. */
const browsers: ReadonlyArray<readonly [says: RegExp, name: string]> = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPX|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/(?:\b(?:Headless)?Chrome|\bCriOS)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"]
]

const systems: ReadonlyArray<readonly [says: RegExp, name: string]> = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"]
]

const nameIn = (names: typeof browsers, userAgent: string): string | undefined =>
  names.find(([says]) => says.test(userAgent))?.[1]

/** A browser's name from its `User-Agent`; for an unknown browser, the beginning of that header. */
export const browserText = (userAgent: string | undefined): string => {
  if (userAgent === undefined) return "Unknown browser"
  const [browser, system] = [nameIn(browsers, userAgent), nameIn(systems, userAgent)]
  if (browser === undefined) return shortText(userAgent, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
