import type { Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Scope } from "../../model/ApiKey.ts"
import { NotFound } from "../../model/Problem.ts"
import { RequiredScopes } from "./Authentication.ts"

/** The endpoint that deletes one resource: `id` is its id in the path, `scope` that of its group. @see docs/api-behavior.md */
export const deletion = <Id extends Schema.Top & { readonly Encoded: string }>(id: Id, what: string, scope: Scope) =>
  HttpApiEndpoint.delete("delete", "/:id", { params: { id }, success: HttpApiSchema.NoContent, error: NotFound })
    .annotateMerge(
      OpenApi.annotations({
        summary: `Delete ${what}, for good`,
        description: "From the next request on it is not found, and what was uploaded for it is removed."
      })
    )
    .annotate(RequiredScopes, [scope, "delete"])
