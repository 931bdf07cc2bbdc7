import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Scope } from "../../model/ApiKey.ts"
import { NotFound, type PreviewNotReady } from "../../model/Problem.ts"
import { RequiredScopes } from "../parts/Authentication.ts"
import { CreateShareLinkRequest, listShareLinksQuery, shareLinkParam } from "./requests.ts"
import { CreateShareLinkResponse, ShareLinkList } from "./responses.ts"

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
