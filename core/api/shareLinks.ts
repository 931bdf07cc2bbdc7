import { Duration, Schema } from "effect"
import { isId } from "../model/Text.ts"
import { ShareLink, ShareLinkId } from "../model/Resource.ts"
import { shareLife, shareUrl } from "../rules/credentials.ts"
import type { IssuedShareLink, ShareLinkPage } from "../service/ShareLinks.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { HttpApi, HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Scope } from "../model/ApiKey.ts"
import { NotFound, type PreviewNotReady } from "../model/Problem.ts"
import { RequiredScopes } from "./middleware.ts"

const bounds = { minimum: Duration.toSeconds(shareLife.minimum), maximum: Duration.toSeconds(shareLife.maximum) }

/** How long the link lives, in seconds: 604800, a week, by default. */
export const CreateShareLinkRequest = Schema.Struct({
  expiresInSeconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween(bounds, { message: `must be ${bounds.minimum} to ${bounds.maximum} seconds` }))
  )
}).annotate({ identifier: "CreateShareLinkRequest" })

const idWith = (message: string) => ShareLinkId.check(isId(message))

/** The id of a link, in a path. */
const shareLinkParam = idWith("must be the id of a share link")

const listShareLinksQuery = { cursor: Schema.optionalKey(idWith("must be the nextCursor of an earlier page")) }

const { createdAt, expiresAt, revokedAt } = ShareLink.fields

/** A link as its owner sees it. Its URL is answered once, when it is made. */
export const ShareLinkRecord = Schema.Struct({ id: Schema.String, createdAt, expiresAt, revokedAt }).annotate({
  identifier: "ShareLinkRecord"
})
export type ShareLinkRecord = typeof ShareLinkRecord.Type

/** A new link. Anyone who has `url` can open the resource until the link expires or is revoked. */
export const CreateShareLinkResponse = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  createdAt,
  expiresAt
}).annotate({ identifier: "CreateShareLinkResponse" })

/** Up to 100 links, newest first, those that ended too. `nextCursor` continues behind them; without it they are the last. */
export const ShareLinkList = Schema.Struct({
  shares: Schema.Array(ShareLinkRecord),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ShareLinkList" })

const toShareLinkRecord = ({ createdAt, expiresAt, id, revokedAt }: ShareLink): ShareLinkRecord => ({
  id,
  createdAt,
  expiresAt,
  ...withoutUndefined({ revokedAt })
})

export const toCreateShareLinkResponse = (
  { link: { createdAt, expiresAt, id }, secret }: IssuedShareLink,
  viewerUrl: string
): typeof CreateShareLinkResponse.Type => ({ id, url: shareUrl(viewerUrl, secret), createdAt, expiresAt })

export const toShareLinkList = ({ links, next }: ShareLinkPage): typeof ShareLinkList.Type => ({
  shares: links.map(toShareLinkRecord),
  ...withoutUndefined({ nextCursor: next })
})

/**
 * The endpoints below one shareable resource: `id` is its id in the path, `scopes` the scopes that each endpoint requires,
 * `refusals` the errors of creating a link.
 */
export const shareLinkEndpoints = <Id extends Schema.Top & { readonly Encoded: string }>(
  id: Id,
  {
    refusals,
    scopes,
    what
  }: {
    readonly what: string
    readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
    readonly refusals: ReadonlyArray<typeof NotFound | typeof PreviewNotReady>
  }
) =>
  [
    HttpApiEndpoint.post("createShareLink", "/:id/shares", {
      params: { id },
      payload: [CreateShareLinkRequest, Schema.Null],
      success: CreateShareLinkResponse.pipe(HttpApiSchema.status(201)),
      error: refusals
    })
      .annotateMerge(OpenApi.annotations({ summary: `Share ${what} by a link that expires` }))
      // Without this check, a misspelled field would create a link with the default life, which the caller did not ask
      // for.
      .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
      .annotate(RequiredScopes, scopes),
    HttpApiEndpoint.get("listShareLinks", "/:id/shares", {
      params: { id },
      query: listShareLinksQuery,
      success: ShareLinkList,
      error: NotFound
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: `List the links that share ${what}`,
          description: "Newest first, 100 at a time."
        })
      )
      .annotate(RequiredScopes, scopes),
    HttpApiEndpoint.delete("revokeShareLink", "/:id/shares/:link", {
      params: { id, link: shareLinkParam },
      success: HttpApiSchema.NoContent,
      error: NotFound
    })
      .annotateMerge(OpenApi.annotations({ summary: `Revoke a link to ${what}, at once` }))
      .annotate(RequiredScopes, scopes)
  ] as const
