import { Schema } from "effect"
import { ShareLink } from "../../model/ShareLink.ts"
import { shareUrl } from "../../rules/shareLinks.ts"
import type { IssuedShareLink, ShareLinkPage } from "../../service/ShareLinks.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"

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
