import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { NotFound, RateLimited, Unavailable } from "../../../core/model/Problem.ts"
import { ShareLinks, type ShareLinkEnded } from "../../../core/service/ShareLinks.ts"
import { noteOwner } from "../../http/accessNotes.ts"
import { limitAttempt } from "../../http/RequestOrigin.ts"
import type { PageContext } from "../ui/layout.ts"
import { linkEndedPage, problemPage } from "../ui/message.ts"
import { pageContext } from "../ui/pageContext.ts"

/** The share link with that secret; wrong secrets are counted for the address that they come from. */
export const sharedBy = (secret: string) =>
  Effect.flatMap(ShareLinks, (links) => limitAttempt({ kind: "share_link" }, "NotFound", links.open(secret))).pipe(
    Effect.tap(({ accountId }) => noteOwner(accountId))
  )

/** A read-only page for anyone with the secret of a share link in the path. It has no links to other pages. */
export const forShared = <R>(
  show: (
    context: PageContext,
    secret: string
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound | ShareLinkEnded | RateLimited | Unavailable, R>
) =>
  Effect.gen(function* () {
    const { secret = "" } = yield* HttpRouter.params
    const context = { ...(yield* pageContext), shared: true }
    return yield* show(context, secret).pipe(
      Effect.catch((error) =>
        error._tag === "ShareLinkEnded" ? Effect.succeed(linkEndedPage(context)) : problemPage(context, error)
      ),
      // The URL alone opens the page, so no other site may learn it from a Referer header.
      Effect.map(HttpServerResponse.setHeader("referrer-policy", "no-referrer"))
    )
  })
