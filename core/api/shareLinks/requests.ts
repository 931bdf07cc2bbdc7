import { Duration, Schema } from "effect"
import { isId } from "../../model/Id.ts"
import { ShareLinkId } from "../../model/ShareLink.ts"
import { shareLife } from "../../rules/shareLinks.ts"

const bounds = { minimum: Duration.toSeconds(shareLife.minimum), maximum: Duration.toSeconds(shareLife.maximum) }

/** How long the link lives, in seconds: 604800, a week, by default. */
export const CreateShareLinkRequest = Schema.Struct({
  expiresInSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween(bounds, { message: `must be ${bounds.minimum} to ${bounds.maximum} seconds` }))
  )
}).annotate({ identifier: "CreateShareLinkRequest" })

const idWith = (message: string) => ShareLinkId.check(isId(message))

/** The id of a link, in a path. */
export const shareLinkParam = idWith("must be the id of a share link")

export const listShareLinksQuery = { cursor: Schema.optionalKey(idWith("must be the nextCursor of an earlier page")) }
