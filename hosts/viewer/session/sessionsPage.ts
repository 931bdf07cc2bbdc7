import { DateTime } from "effect"
import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { Session, SessionId } from "../../../core/model/ApiKey.ts"
import { browserText } from "./browserText.ts"
import { accountTitle } from "../ui/accountTitle.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { paging } from "../ui/paging.ts"
import { timeHtml } from "../ui/text.ts"

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
export const sessionsPage = (
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
